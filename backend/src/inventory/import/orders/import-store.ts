import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql } from '../../../common/database/sql.js';
import type { OtherServerItem } from '../../../common/errors/problem.js';
import type { Principal } from '../../../common/access/principal.js';
import type { ImportEntry, ImportOrder, NotCarriedRow, PlannedEntry, Requester, StoredFault } from './import-record.js';
import { MAX_FAULTS } from './import-record.js';

const ENTRIES_PER_BATCH = 500;
/**
 * Number of imports kept per tenant. Older imports are deleted with their entries; the audit trail keeps their changes.
 */
const MAX_KEPT_IMPORTS = 50;
/**
 * Maximum number of attempts. If a worker dies, the next one retries the import. An import that keeps killing workers
 * is abandoned.
 */
const MAX_ATTEMPTS = 4;
const MAX_OTHER_ENTRIES = 200;

export interface ClaimedImport extends ImportOrder {
  id: string;
  tenantId: string;
  total: number;
  requester: Requester;
}

export async function insertImport(
  tx: EntityManager,
  caller: Principal,
  id: string,
  order: ImportOrder,
  entries: readonly ImportEntry[],
): Promise<void> {
  const { role: _, ...requester } = caller;
  await insertImportRow(tx, caller, id, order, requester, entries.length, null);
  for (let from = 0; from < entries.length; from += ENTRIES_PER_BATCH) {
    const some = entries
      .slice(from, from + ENTRIES_PER_BATCH)
      .map(({ position, line, wanted }) => ({ position, line, name: wanted.name, entry: wanted }));
    await affected(
      tx,
      sql`insert into inventory_import_entries (tenant_id, import_id, position, line, name, entry)
        select ${caller.tenantId}::uuid, ${id}::uuid, position, line, name, entry
        from jsonb_to_recordset(${JSON.stringify(some)}::jsonb) as x (position int, line int, name text, entry jsonb)`,
    );
  }
  await deleteOldImports(tx, caller.tenantId);
}

export async function insertImportOfPreview(
  tx: EntityManager,
  caller: Principal,
  id: string,
  order: ImportOrder,
  from: { id: string; total: number },
): Promise<void> {
  const { role: _, ...requester } = caller;
  await insertImportRow(tx, caller, id, order, requester, from.total, from.id);
  await affected(
    tx,
    sql`insert into inventory_import_entries (tenant_id, import_id, position, line, name, entry)
      select tenant_id, ${id}::uuid, position, line, name, entry from inventory_import_entries
      where tenant_id = ${caller.tenantId} and import_id = ${from.id} and entry is not null`,
  );
  await deleteOldImports(tx, caller.tenantId);
}

async function insertImportRow(
  tx: EntityManager,
  { tenantId, userId }: Principal,
  id: string,
  order: ImportOrder,
  requester: Requester,
  total: number,
  previewId: string | null,
): Promise<void> {
  await affected(
    tx,
    sql`insert into inventory_imports (id, tenant_id, environment_id, preview, format, source, prune, prune_limit_percent,
        ssh_key_id, username, total, not_carried, more_not_carried, expected_digest, requested_by, created_by, preview_id,
        skip_faulty, confirm_hosts)
      values (${id}, ${tenantId}, ${order.environmentId}, ${order.preview}, ${order.format}, ${order.source},
        ${order.prune}, ${order.pruneLimitPercent}, ${order.sshKeyId}, ${order.username}, ${total},
        ${JSON.stringify(order.notCarried)}, ${order.moreNotCarried}, ${order.expectedDigest},
        ${JSON.stringify(requester)}, ${userId}, ${previewId}, ${order.skipFaulty}, ${order.confirmHosts})`,
  );
}

async function deleteOldImports(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(
    tx,
    sql`delete from inventory_imports where tenant_id = ${tenantId} and finished_at is not null and id not in (
      select id from inventory_imports where tenant_id = ${tenantId} order by id desc limit ${MAX_KEPT_IMPORTS})`,
  );
}

/** Claims the import for one attempt; null: the import is over, or this call abandoned it. */
export async function claimImport(tx: EntityManager, tenantId: string, id: string): Promise<ClaimedImport | null> {
  const claimed = await row(
    tx,
    sql<ClaimedImport>`update inventory_imports set state = 'running', started_at = coalesce(started_at, now()), attempts = attempts + 1,
        processed = 0
      where tenant_id = ${tenantId} and id = ${id} and state in ('pending', 'running') and attempts < ${MAX_ATTEMPTS}
      returning id, tenant_id as "tenantId", environment_id as "environmentId", format, source, prune,
        prune_limit_percent as "pruneLimitPercent", skip_faulty as "skipFaulty", ssh_key_id as "sshKeyId", username, preview,
        confirm_hosts as "confirmHosts",
        expected_digest as "expectedDigest", not_carried as "notCarried", more_not_carried as "moreNotCarried", total,
        requested_by as requester`,
  );
  if (claimed) return claimed;
  await endImport(tx, tenantId, id, {
    state: 'failed',
    faults: [
      {
        line: null,
        entry: null,
        code: 'given_up',
        message: `The import was interrupted ${MAX_ATTEMPTS} times before it was complete, so it was abandoned. Nothing was changed. Import fewer servers at a time, and inform the operator of this installation.`,
      },
    ],
  });
  return null;
}

/** Locks the import until the transaction ends. @returns false if another transaction has the lock */
export async function releaseHeldImport(tx: EntityManager, id: string): Promise<boolean> {
  const lock = await row(
    tx,
    sql<{ held: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${`import ${id}`}, 0)) as held`,
  );
  return lock?.held === true;
}

export const readImportEntries = (tx: EntityManager, tenantId: string, id: string): Promise<ImportEntry[]> =>
  rows(
    tx,
    // The condition excludes null. `coalesce` shows that to `npm run lint:sql`.
    sql<ImportEntry>`select position, line, coalesce(entry, '{}') as wanted from inventory_import_entries
      where tenant_id = ${tenantId} and import_id = ${id} and entry is not null order by position`,
  );

/** Uses a separate transaction, so that others see the progress during the import. */
export async function storeProgress(tx: EntityManager, tenantId: string, id: string, processed: number): Promise<void> {
  await affected(
    tx,
    sql`update inventory_imports set processed = ${processed}
      where tenant_id = ${tenantId} and id = ${id} and state = 'running'`,
  );
}

export async function storePlan(
  tx: EntityManager,
  tenantId: string,
  id: string,
  planned: readonly PlannedEntry[],
): Promise<void> {
  for (let from = 0; from < planned.length; from += ENTRIES_PER_BATCH) {
    const some = JSON.stringify(planned.slice(from, from + ENTRIES_PER_BATCH));
    await affected(
      tx,
      sql`insert into inventory_import_entries (tenant_id, import_id, position, line, name, action, server_id, changes, reason)
        select ${tenantId}::uuid, ${id}::uuid, position, line, name, action, "serverId", changes, reason
        from jsonb_to_recordset(${some}::jsonb) as x
          (position int, line int, name text, action text, "serverId" uuid, changes jsonb, reason text)
        on conflict (tenant_id, import_id, position) do update
          set action = excluded.action, server_id = excluded.server_id, changes = excluded.changes, reason = excluded.reason`,
    );
  }
}

export async function storeCreatedServers(
  tx: EntityManager,
  tenantId: string,
  id: string,
  created: readonly { position: number; id: string }[],
): Promise<void> {
  const positions = created.map(({ position }) => position);
  const serverIds = created.map((server) => server.id);
  await affected(
    tx,
    sql`update inventory_import_entries e set server_id = x.id
      from unnest(${positions}::int[], ${serverIds}::uuid[]) as x (position, id)
      where e.tenant_id = ${tenantId} and e.import_id = ${id} and e.position = x.position`,
  );
}

interface ImportEnd {
  state: 'succeeded' | 'failed';
  faults?: readonly StoredFault[];
  notCarried?: readonly NotCarriedRow[];
  counts?: object;
  digest?: string;
  processed?: number;
  others?: readonly OtherServerItem[];
}

/** Ends the import unless it is over. @returns whether it was running */
export async function endImport(
  tx: EntityManager,
  tenantId: string,
  id: string,
  { state, faults = [], notCarried, counts, digest, processed, others = [] }: ImportEnd,
): Promise<boolean> {
  const ended = await affected(
    tx,
    sql`update inventory_imports set state = ${state}, finished_at = now(),
        faults = ${JSON.stringify(faults.slice(0, MAX_FAULTS))}, more_faults = ${Math.max(0, faults.length - MAX_FAULTS)},
        counts = coalesce(${counts ? JSON.stringify(counts) : null}::jsonb, counts),
        digest = coalesce(${digest ?? null}::text, digest), processed = coalesce(${processed ?? null}::int, processed),
        not_carried = coalesce(${notCarried ? JSON.stringify(notCarried) : null}::jsonb, not_carried),
        other_servers = ${JSON.stringify(others.slice(0, MAX_OTHER_ENTRIES))}
      where tenant_id = ${tenantId} and id = ${id} and state in ('pending', 'running')`,
  );
  return ended > 0;
}
