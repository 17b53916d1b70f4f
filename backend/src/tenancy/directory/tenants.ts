import type { Query } from '../../common/database/query.js';

export interface TenantName {
  id: string;
  name: string;
}

/** Returns all tenants by ID. Only for the operator of the installation, never for a member. */
export const tenantNames = (query: Query): Promise<TenantName[]> => query('select id, name from tenants order by id');

export async function sampleTenants(query: Query, count: number): Promise<string[]> {
  const rows = await query<{ id: string }>('select id from tenants order by random() limit $1', [count]);
  return rows.map(({ id }) => id);
}
