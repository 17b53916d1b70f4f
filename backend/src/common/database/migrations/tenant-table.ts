import type { QueryRunner } from 'typeorm';

export const TENANT_CONDITION = `tenant_id = nullif(current_setting('app.tenant', true), '')::uuid`;

/**
 * Enables and forces row-level security on a table with a `tenant_id`. One policy covers reading and writing.
 * @param grants privileges of the application role; omit update and delete for append-only tables
 */
export async function protectTenantTable(
  runner: QueryRunner,
  table: string,
  grants = 'select, insert, update, delete',
): Promise<void> {
  await runner.query(`
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    drop policy if exists tenant_wall on ${table};
    create policy tenant_wall on ${table} using (${TENANT_CONDITION}) with check (${TENANT_CONDITION});
    grant ${grants} on ${table} to runward_app;
  `);
}
