/** Who the audit trail names for a command of `npm run admin`. */
export const ADMIN_ACTOR = (tenantId: string) => ({ kind: 'system', tenantId, name: 'npm run admin' }) as const;
