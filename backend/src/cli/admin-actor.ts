/** Actor in the audit trail for `npm run admin` commands. */
export const ADMIN_ACTOR = (tenantId: string) => ({ kind: 'system', tenantId, name: 'npm run admin' }) as const;
