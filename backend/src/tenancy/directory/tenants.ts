import { type Executor, rows, sql } from '../../common/database/sql.js';

export interface TenantName {
  id: string;
  name: string;
}

/** Returns all tenants by ID. Only for the operator of the installation, never for a member. */
export const listTenantNames = (executor: Executor): Promise<TenantName[]> =>
  rows(executor, sql<TenantName>`select id, name from tenants order by id`);

export async function sampleTenants(executor: Executor, count: number): Promise<string[]> {
  const sample = await rows(executor, sql<{ id: string }>`select id from tenants order by random() limit ${count}`);
  return sample.map(({ id }) => id);
}
