import type { TestDatabase } from './database.js';

/**
 * Returns the forms in which a leaked secret may appear: plain, hexadecimal, URL-encoded, and the parts of base64 that
 * do not depend on surrounding bytes. Bytes that are not text have no plain form.
 */
export function formsOf(secret: string | Buffer): string[] {
  const bytes = Buffer.from(secret as string);
  const base64 = [0, 1, 2].map((before) => Buffer.concat([Buffer.alloc(before), bytes]).toString('base64'));
  const hex = bytes.toString('hex');
  const spread = ['\\x', ' ', ':'].map((separator) => hex.replace(/..(?!$)/g, `$&${separator}`));
  const forms = [hex, hex.toUpperCase(), ...spread, ...base64.map((text) => text.slice(4, -4))];
  if (typeof secret === 'string') forms.push(secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1));
  // Forms of `printf %q`, and of JSON with escaped slashes.
  if (typeof secret === 'string') forms.push(secret.replace(/[^\w/.+-]/g, '\\$&'), secret.replaceAll('/', '\\/'));
  return [...new Set(forms)];
}

export interface Finding {
  /** Name as `schema.table.column`. */
  place: string;
  needle: string | Buffer;
}

interface Column {
  table: string;
  column: string;
  place: string;
  bytes: boolean;
}

export async function searchableColumns(database: TestDatabase): Promise<Column[]> {
  return database.query<Column>(
    `select format('%I.%I', c.table_schema, c.table_name) as table, quote_ident(c.column_name) as column,
        c.table_schema || '.' || c.table_name || '.' || c.column_name as place, c.data_type = 'bytea' as bytes
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema not in ('pg_catalog', 'information_schema') and t.table_type = 'BASE TABLE'
        and c.data_type in ('text', 'character varying', 'character', 'json', 'jsonb', 'bytea', 'ARRAY')`,
  );
}

/**
 * Searches texts in all columns, and bytes in byte columns. First set the tenant for row-level security, because the
 * owner of an external database is not a superuser.
 */
export async function findInDatabase(
  database: TestDatabase,
  needles: readonly (string | Buffer)[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { table, column, place, bytes } of await searchableColumns(database)) {
    const searched = bytes ? needles : needles.filter((needle) => typeof needle === 'string');
    if (searched.length === 0) continue;
    const rows = await database.query<{ n: number }>(
      bytes
        ? `select n::int from unnest($1::bytea[]) with ordinality as x (needle, n)
            where exists (select from ${table} where position(needle in ${column}) > 0)`
        : `select n::int from unnest($1::text[]) with ordinality as x (needle, n)
            where exists (select from ${table} where position(needle in ${column}::text) > 0)`,
      [bytes ? searched.map((needle) => Buffer.from(needle as string)) : searched],
    );
    for (const { n } of rows) findings.push({ place, needle: searched[n - 1] ?? '' });
  }
  return findings;
}

export async function placesOf(database: TestDatabase, text: string): Promise<string[]> {
  return (await findInDatabase(database, [text])).map(({ place }) => place);
}
