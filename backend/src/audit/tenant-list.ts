import type { EntityManager } from 'typeorm';

export type TenantList = (tx: EntityManager) => Promise<readonly { id: string }[]>;

/** Injection token of `TenantList`, which the module `tenancy` implements. */
export const TENANT_LIST = Symbol('tenant-list');
