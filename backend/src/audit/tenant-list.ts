import type { EntityManager } from 'typeorm';

export type TenantList = (tx: EntityManager) => Promise<readonly { id: string }[]>;

export const TENANT_LIST = Symbol('tenant-list');
