import { readMasterKeyId, openSealedValue, rewrapDataKey, SealError, type SealContext } from '../crypto/envelope.js';
import type { MasterKey } from '../crypto/master-key.js';
import { affected, type Executor, row, rows, sql, type Sql } from './sql.js';
import { StartError } from './start-error.js';

/**
 * Column of sealed values in a tenant table with an `id`. Each module declares its own, for code that processes all
 * sealed values.
 */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** SQL expression of the version to which a value is bound: a column or a constant. */
  readonly version: string;
  readonly context: (tenantId: string, id: string, version: number) => SealContext;
}

interface SealedValueRow {
  id: string;
  version: number;
  sealed: Buffer;
}

/** @sql ssh_keys */
function tableNameSql({ table }: SealedColumn): Sql {
  return sql.raw(table);
}

/** @sql sealed_private_key */
function columnNameSql({ column }: SealedColumn): Sql {
  return sql.raw(column);
}

/** @sql version */
function versionColumnSql({ version }: SealedColumn): Sql {
  return sql.raw(version);
}

/** ID of the master key with which the value is sealed. */
const masterKeyIdSql = (sealed: SealedColumn): Sql => sql`substring(${columnNameSql(sealed)} from 2 for 8)`;

/**
 * Reseals up to `atMost` values of a tenant that are not yet sealed with the new key.
 * @returns number of values; 0 when none is left
 * @throws StartError when neither key opens a value
 */
export async function rewrapSealedValues(
  executor: Executor,
  sealed: SealedColumn,
  tenantId: string,
  keys: { old: MasterKey; new: MasterKey },
  atMost: number,
): Promise<number> {
  const { table, context } = sealed;
  const column = columnNameSql(sealed);
  const found = await rows(
    executor,
    sql<SealedValueRow>`select id, (${versionColumnSql(sealed)})::int as version, ${column} as sealed from ${tableNameSql(sealed)}
      where tenant_id = ${tenantId} and ${column} is not null and ${masterKeyIdSql(sealed)} <> ${Buffer.from(keys.new.id, 'hex')}
      order by id limit ${atMost} for update`,
  );
  if (found.length === 0) return 0;
  const wrapped = found.map((value) =>
    withValueNameInErrors(table, value.id, () =>
      rewrapDataKey(keys.old, keys.new, value.sealed, context(tenantId, value.id, value.version)),
    ),
  );
  const ids = found.map(({ id }) => id);
  await affected(
    executor,
    sql`update ${tableNameSql(sealed)} t set ${column} = x.sealed
      from unnest(${ids}::uuid[], ${wrapped}::bytea[]) as x (id, sealed)
      where t.tenant_id = ${tenantId} and t.id = x.id`,
  );
  return found.length;
}

export async function countValuesOfOtherKeys(
  executor: Executor,
  sealed: SealedColumn,
  tenantId: string,
  key: MasterKey,
): Promise<number> {
  const others = await row(
    executor,
    sql<{ n: number }>`select count(*)::int as n from ${tableNameSql(sealed)}
      where tenant_id = ${tenantId} and ${columnNameSql(sealed)} is not null
        and ${masterKeyIdSql(sealed)} <> ${Buffer.from(key.id, 'hex')}`,
  );
  return others?.n ?? 0;
}

/** Text in every unencrypted private key file. Sealed values practically never contain it. */
const PLAIN_PRIVATE_KEY_TEXT = 'PRIVATE KEY';
/** Number of newest values that are searched for plain text. Only `MAX_OPENED_VALUES` of them are opened. */
const MAX_CHECKED_VALUES = 1_000;
const MAX_OPENED_VALUES = 5;

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
  const column = columnNameSql(sealed);
  const newest = await rows(
    executor,
    sql<SealedValueRow>`select id, (${versionColumnSql(sealed)})::int as version, ${column} as sealed from ${tableNameSql(sealed)}
      where tenant_id = ${tenantId} and ${column} is not null order by id desc limit ${MAX_CHECKED_VALUES}`,
  );
  for (const [index, value] of newest.entries()) {
    if (value.sealed.includes(PLAIN_PRIVATE_KEY_TEXT)) {
      throw new StartError(
        `Table ${table} contains a private key in plain text (record ${value.id}). Disconnect the database from the network, remove the key, and replace it on its hosts.`,
      );
    }
    withValueNameInErrors(table, value.id, () => {
      readMasterKeyId(value.sealed);
      if (index < MAX_OPENED_VALUES)
        openSealedValue(key, value.sealed, context(tenantId, value.id, value.version)).fill(0);
    });
  }
}

function withValueNameInErrors<T>(table: string, id: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new StartError(
      `A secret in table ${table} (record ${id}) cannot be decrypted: ${error.message} Restore it from a backup, or delete the record.`,
    );
  }
}
