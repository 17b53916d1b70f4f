export const ADMIN_ACTOR = (tenantId: string) => ({ kind: 'system', tenantId, name: 'npm run admin' }) as const;
