import type { EntityManager } from 'typeorm';

/** All tenants of the installation, asked for without a tenant named. */
export type TenantList = (tx: EntityManager) => Promise<readonly { id: string }[]>;

/** Injection token of the `TenantList`; the room `tenancy` answers it. */
export const TENANT_LIST = Symbol('tenant-list');
