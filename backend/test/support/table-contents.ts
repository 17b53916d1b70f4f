import type { TestDatabase } from './database.js';

/** Tables whose rows also change through reads, such as the time of last use. */
const TABLES_CHANGED_BY_USE = ['api_tokens', 'sessions'];

/** Runs SQL as the owner. Sets a tenant for row-level security, which may apply to the owner too. */
export async function queryAs<R>(
  database: TestDatabase,
  tenantId: string,
  sql: string,
  values?: unknown[],
): Promise<R[]> {
  await database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
  return database.query<R>(sql, values);
}

export async function tableNames(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return rows.map((row) => row.name);
}

export async function tenantTables(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'auth_directory' order by 1`,
  );
  return rows.map((row) => row.name);
}

/**
 * Returns the number and checksum of rows, by table and tenant. Equal values before and after mean that nothing was
 * written. For tables that reads change, only the number counts.
 */
export async function tableContents(database: TestDatabase): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  const tenants = await database.query<{ id: string }>('select id from tenants order by id');
  for (const table of await tableNames(database)) {
    const sum = TABLES_CHANGED_BY_USE.includes(table) ? '0' : 'coalesce(sum(hashtextextended(t::text, 0)), 0)';
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
