import type { EntityManager } from 'typeorm';

export type TenantList = (tx: EntityManager) => Promise<readonly { id: string }[]>;

/** Injection token; the module `tenancy` implements it. */
export const TENANT_LIST = Symbol('tenant-list');
