import type { EntityManager } from 'typeorm';

export type ListTenants = (tx: EntityManager) => Promise<readonly { id: string }[]>;

export const TENANT_LIST = Symbol('tenant-list');
