import type { QueryRunner } from 'typeorm';

/** The expression of every tenant policy. The boot check compares the database with it. */
export const TENANT_CONDITION = `tenant_id = nullif(current_setting('app.tenant', true), '')::uuid`;

/**
 * Enables and forces row-level security on a table with a `tenant_id`, with one policy for reading and writing.
 * @param grants privileges of the application role; an append-only table leaves out update and delete
 */
export async function protectTenantTable(
  runner: QueryRunner,
  table: string,
  grants = 'select, insert, update, delete',
): Promise<void> {
  await runner.query(`
    alter table ${table} enable row level security;
    alter table ${table} force row level security;
    create policy tenant_wall on ${table} using (${TENANT_CONDITION}) with check (${TENANT_CONDITION});
    grant ${grants} on ${table} to runward_app;
  `);
}
