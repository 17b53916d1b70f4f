import type { Client } from 'pg';
import { openAuditKey } from '../audit/audit-chain.js';
import { rewrapDataKey, sealValue } from '../common/crypto/envelope.js';
import type { MasterKey } from '../common/crypto/master-key.js';
import {
  AUDIT_KEY_CONTEXT,
  beginMasterKeyChange,
  endMasterKeyChange,
  type InstallationKeys,
  readInstallationKeys,
} from '../common/database/boot/installation.js';
import { MASTER_KEY_LOCK_ID } from '../common/database/boot/master-key-hold.js';
import { OWNER_SESSION_SETTINGS } from '../common/database/connection.js';
import { countValuesOfOtherKeys, rewrapSealedValues } from '../common/database/sealed-values.js';
import { SessionClient } from '../common/database/session-client.js';
import { row, sql } from '../common/database/sql.js';
import { StartError } from '../common/database/start-error.js';
import { listTenantNames } from '../tenancy/directory/tenants.js';
import { SEALED_COLUMNS } from '../boot/sealed-columns.js';

/** Number of values re-wrapped per transaction. It is small, so that an interruption loses little work. */
const VALUES_PER_BATCH = 100;

interface MasterKeyPair {
  old: MasterKey;
  new: MasterKey;
}

/**
 * Re-wraps every sealed value of the database. After an interruption, call it again with the same keys: it continues,
 * because each value contains the ID of its key.
 * @param url connection URL of the owner
 * @returns number of values that this call re-wrapped, by table; null: the database already uses the new key
 * @throws StartError if a process of Runward runs, or the keys are wrong
 */
export async function rotateMasterKey(url: string, keys: MasterKeyPair): Promise<Map<string, number> | null> {
  const client = new SessionClient({
    connectionString: url,
    application_name: 'runward-key-rotation',
    keepAlive: true,
    session: OWNER_SESSION_SETTINGS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await takeRotationLock(client);
    const installation = await readInstallationKeys(client);
    if (installation?.current === keys.new.id) return null;
    requireKeyChange(installation, keys);
    await beginMasterKeyChange(client, keys.new.id);
    const tenants = await listTenantNames(client);
    const counts = new Map<string, number>();
    for (const { id } of tenants) {
      for (const column of SEALED_COLUMNS) {
        for (;;) {
          const done = await inTenantTransaction(client, id, () =>
            rewrapSealedValues(client, column, id, keys, VALUES_PER_BATCH),
          );
          counts.set(column.table, (counts.get(column.table) ?? 0) + done);
          if (done < VALUES_PER_BATCH) break;
        }
      }
    }
    await finishRotation(client, keys, tenants);
    return counts;
  } finally {
    await client.end();
  }
}

async function takeRotationLock(client: Client): Promise<void> {
  const lock = await row(client, sql<{ held: boolean }>`select pg_try_advisory_lock(${MASTER_KEY_LOCK_ID}) as held`);
  if (lock?.held) return;
  throw new StartError('Runward is running on this database. Stop all of its processes, then change the master key.');
}

function requireKeyChange(installation: InstallationKeys | undefined, keys: MasterKeyPair): void {
  if (installation?.current !== keys.old.id) {
    throw new StartError(
      `The master key (${keys.old.id}) is not the one that encrypted the secrets of this database (${installation?.current ?? 'none'}).`,
    );
  }
  if (installation.next !== null && installation.next !== keys.new.id) {
    throw new StartError(
      `A change to the master key ${installation.next} was interrupted. Set that key as the new key (got ${keys.new.id}) to finish the change.`,
    );
  }
}

/** Verifies that no value uses the old key, re-wraps the audit key, and stores the new key's ID, in one transaction. */
async function finishRotation(client: Client, keys: MasterKeyPair, tenants: readonly { id: string }[]): Promise<void> {
  await runInTransaction(client, async () => {
    let remainingCount = 0;
    for (const { id } of tenants) {
      await row(client, sql`select set_config('app.tenant', ${id}, true)`);
      for (const column of SEALED_COLUMNS) remainingCount += await countValuesOfOtherKeys(client, column, id, keys.new);
    }
    if (remainingCount > 0)
      throw new StartError(`${remainingCount} values still use the old key. Run the command again.`);
    const installation = await readInstallationKeys(client, { locks: true });
    const sealed = installation?.audit
      ? rewrapDataKey(keys.old, keys.new, installation.audit, AUDIT_KEY_CONTEXT)
      : sealValue(keys.new, openAuditKey(keys.old, null).export(), AUDIT_KEY_CONTEXT);
    await endMasterKeyChange(client, keys.new.id, sealed);
  });
}

const inTenantTransaction = <T>(client: Client, tenantId: string, work: () => Promise<T>): Promise<T> =>
  runInTransaction(client, async () => {
    await row(client, sql`select set_config('app.tenant', ${tenantId}, true)`);
    return work();
  });

async function runInTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
