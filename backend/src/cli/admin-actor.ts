export const createAdminActor = (tenantId: string) => ({ kind: 'system', tenantId, name: 'npm run admin' }) as const;
