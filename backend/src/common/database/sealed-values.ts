import { masterKeyIdOf, open, rewrap, SealError } from '../crypto/envelope.js';
import type { MasterKey } from '../crypto/master-key.js';
import type { SealedColumn } from '../crypto/sealed-column.js';
import { affected, type Executor, row, rows, sql, type Sql } from './sql.js';
import { StartError } from './start-error.js';

interface Row {
  id: string;
  version: number;
  sealed: Buffer;
}

/** @sql ssh_keys */
function tableOf({ table }: SealedColumn): Sql {
  return sql.raw(table);
}

/** @sql sealed_private_key */
function columnOf({ column }: SealedColumn): Sql {
  return sql.raw(column);
}

/** @sql version */
function versionOf({ version }: SealedColumn): Sql {
  return sql.raw(version);
}

/** ID of the master key with which the value is sealed. */
const keyIdIn = (sealed: SealedColumn): Sql => sql`substring(${columnOf(sealed)} from 2 for 8)`;

/**
 * Reseals up to `atMost` values of a tenant that are not yet sealed with the new key.
 * @returns number of values; 0 when none is left
 * @throws StartError when neither key opens a value
 */
export async function rewrapBatch(
  executor: Executor,
  sealed: SealedColumn,
  tenantId: string,
  keys: { old: MasterKey; new: MasterKey },
  atMost: number,
): Promise<number> {
  const { table, context } = sealed;
  const column = columnOf(sealed);
  const found = await rows(
    executor,
    sql<Row>`select id, (${versionOf(sealed)})::int as version, ${column} as sealed from ${tableOf(sealed)}
      where tenant_id = ${tenantId} and ${column} is not null and ${keyIdIn(sealed)} <> ${Buffer.from(keys.new.id, 'hex')}
      order by id limit ${atMost} for update`,
  );
  if (found.length === 0) return 0;
  const wrapped = found.map((value) =>
    named(table, value.id, () => rewrap(keys.old, keys.new, value.sealed, context(tenantId, value.id, value.version))),
  );
  const ids = found.map(({ id }) => id);
  await affected(
    executor,
    sql`update ${tableOf(sealed)} t set ${column} = x.sealed
      from unnest(${ids}::uuid[], ${wrapped}::bytea[]) as x (id, sealed)
      where t.tenant_id = ${tenantId} and t.id = x.id`,
  );
  return found.length;
}

export async function countOthers(
  executor: Executor,
  sealed: SealedColumn,
  tenantId: string,
  key: MasterKey,
): Promise<number> {
  const others = await row(
    executor,
    sql<{ n: number }>`select count(*)::int as n from ${tableOf(sealed)}
      where tenant_id = ${tenantId} and ${columnOf(sealed)} is not null
        and ${keyIdIn(sealed)} <> ${Buffer.from(key.id, 'hex')}`,
  );
  return others?.n ?? 0;
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
  executor: Executor,
  sealed: SealedColumn,
  tenantId: string,
  key: MasterKey,
): Promise<void> {
  const { table, context } = sealed;
  const column = columnOf(sealed);
  const newest = await rows(
    executor,
    sql<Row>`select id, (${versionOf(sealed)})::int as version, ${column} as sealed from ${tableOf(sealed)}
      where tenant_id = ${tenantId} and ${column} is not null order by id desc limit ${CHECKED_VALUES}`,
  );
  for (const [index, value] of newest.entries()) {
    if (value.sealed.includes(PLAIN_KEY)) {
      throw new StartError(
        `Table ${table} contains a private key in plain text (record ${value.id}). Disconnect the database from the network, remove the key, and replace it on its hosts.`,
      );
    }
    named(table, value.id, () => {
      masterKeyIdOf(value.sealed);
      if (index < OPENED_VALUES) open(key, value.sealed, context(tenantId, value.id, value.version)).fill(0);
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
