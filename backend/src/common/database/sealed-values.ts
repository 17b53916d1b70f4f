import { masterKeyIdOf, open, rewrap, SealError } from '../crypto/envelope.js';
import type { MasterKey } from '../crypto/master-key.js';
import type { SealedColumn } from '../crypto/sealed-column.js';
import type { Query } from './query.js';
import { StartError } from './start-error.js';

interface Row {
  id: string;
  version: number;
  sealed: Buffer;
}

const KEY_ID = 'substring(%s from 2 for 8)';
const keyIdIn = (column: string): string => KEY_ID.replace('%s', column);

/**
 * Reseals up to `atMost` values of a tenant that are not yet sealed with the new key.
 * @returns number of values; 0 when none is left
 * @throws StartError when neither key opens a value
 */
export async function rewrapBatch(
  query: Query,
  { table, column, version, context }: SealedColumn,
  tenantId: string,
  keys: { old: MasterKey; new: MasterKey },
  atMost: number,
): Promise<number> {
  const rows = await query<Row>(
    `select id, (${version})::int as version, ${column} as sealed from ${table}
      where tenant_id = $1 and ${column} is not null and ${keyIdIn(column)} <> $2 order by id limit $3 for update`,
    [tenantId, Buffer.from(keys.new.id, 'hex'), atMost],
  );
  if (rows.length === 0) return 0;
  const wrapped = rows.map((row) =>
    named(table, row.id, () => rewrap(keys.old, keys.new, row.sealed, context(tenantId, row.id, row.version))),
  );
  await query(
    `update ${table} t set ${column} = x.sealed from unnest($2::uuid[], $3::bytea[]) as x (id, sealed)
      where t.tenant_id = $1 and t.id = x.id`,
    [tenantId, rows.map(({ id }) => id), wrapped],
  );
  return rows.length;
}

export async function countOthers(
  query: Query,
  { table, column }: SealedColumn,
  tenantId: string,
  key: MasterKey,
): Promise<number> {
  const [row] = await query<{ n: number }>(
    `select count(*)::int as n from ${table} where tenant_id = $1 and ${column} is not null and ${keyIdIn(column)} <> $2`,
    [tenantId, Buffer.from(key.id, 'hex')],
  );
  return row?.n ?? 0;
}

/** Text in every unencrypted private key file. Sealed values practically never contain it. */
const PLAIN_KEY = 'PRIVATE KEY';
/** Number of newest values that are searched for plain text. Only `OPENED_VALUES` of them are opened. */
const CHECKED_VALUES = 1_000;
const OPENED_VALUES = 5;

/**
 * Checks a tenant's newest values: none may be plain text, and the first ones must open.
 * @throws StartError with one line that names table and record, never a value
 */
export async function checkSealedValues(
  query: Query,
  { table, column, version, context }: SealedColumn,
  tenantId: string,
  key: MasterKey,
): Promise<void> {
  const rows = await query<Row>(
    `select id, (${version})::int as version, ${column} as sealed from ${table}
      where tenant_id = $1 and ${column} is not null order by id desc limit ${CHECKED_VALUES}`,
    [tenantId],
  );
  for (const [index, row] of rows.entries()) {
    if (row.sealed.includes(PLAIN_KEY)) {
      throw new StartError(
        `Table ${table} contains a private key in plain text (record ${row.id}). Disconnect the database from the network, remove the key, and replace it on its hosts.`,
      );
    }
    named(table, row.id, () => {
      masterKeyIdOf(row.sealed);
      if (index < OPENED_VALUES) open(key, row.sealed, context(tenantId, row.id, row.version)).fill(0);
    });
  }
}

function named<T>(table: string, id: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new StartError(
      `A secret in table ${table} (record ${id}) cannot be decrypted: ${error.message} Restore it from a backup, or delete the record.`,
    );
  }
}
