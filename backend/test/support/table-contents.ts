import type { TestDatabase } from './database.js';

/** Tables whose rows change by being used: who was seen last, and when. */
const TOUCHED_BY_USE = ['api_tokens', 'sessions'];

/** Runs SQL as the owner with one tenant named to row-level security, as that may apply to the owner too. */
export async function queryAs<R>(
  database: TestDatabase,
  tenantId: string,
  sql: string,
  values?: unknown[],
): Promise<R[]> {
  await database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  return database.query<R>(sql, values);
}

/** Names of all tables of the application. */
export async function tableNames(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return rows.map((row) => row.name);
}

/** Names of the tables that row-level security guards. */
export async function tenantTables(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'auth_directory' order by 1`,
  );
  return rows.map((row) => row.name);
}

/**
 * Number and checksum of the rows of every table, for each tenant: equal before and after means that nothing was
 * written. Of tables that being used touches only the number counts.
 */
export async function tableContents(database: TestDatabase): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  const tenants = await database.query<{ id: string }>('select id from tenants order by id');
  for (const table of await tableNames(database)) {
    const sum = TOUCHED_BY_USE.includes(table) ? '0' : 'coalesce(sum(hashtextextended(t::text, 0)), 0)';
    for (const { id } of tenants) {
      const [row] = await queryAs<{ content: string }>(
        database,
        id,
        `select count(*) || ' rows, ' || ${sum} as content from ${table} t`,
      );
      contents[`${table} of ${id}`] = row?.content ?? '';
    }
  }
  return contents;
}
