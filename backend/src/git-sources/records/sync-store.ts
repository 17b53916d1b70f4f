import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../../common/database/sql.js';
import type { HostKey } from '../../transport/keys/host-key.js';
import type { GitErrorCode } from '../mirror/git-error.js';
import type { GitSourceState } from './git-source.entity.js';

/** Lease of a worker for a sync, in seconds. A worker that has lost its lease stores no result. */
const LEASE_SECONDS = 20;

export interface SyncLease {
  tenantId: string;
  id: string;
  epoch: number;
  /** Database time. A request after this time needs another sync. */
  startedAt: Date;
}

export interface SyncOutcome {
  state: GitSourceState;
  error: { code: GitErrorCode; message: string } | null;
  /** Null: the remote was not read. */
  found: {
    commit: string | null;
    head: string | null;
    refs: Map<string, string>;
    leftOut: number;
    /** Null: there is no commit. */
    files: number | null;
    bytes: number;
  } | null;
  /** Host key that this sync learned; undefined: none. */
  hostKey?: HostKey;
  seenHostKey?: HostKey | null;
}

/** `held`: another worker is syncing the source; `idle`: no sync is requested or due. */
export type SyncClaim = SyncLease | 'held' | 'idle';

export async function claimSync(tx: EntityManager, tenantId: string, id: string): Promise<SyncClaim> {
  const claimed = await row(
    tx,
    sql<{ epoch: number; at: Date }>`
      update git_sources set epoch = epoch + 1, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
        where tenant_id = ${tenantId} and id = ${id} and (lease_until is null or lease_until < now())
          and (requested_at is not null or due_at <= now() + interval '1 second')
        returning epoch, now() as at`,
  );
  if (claimed) return { tenantId, id, epoch: claimed.epoch, startedAt: claimed.at };
  const leased = await row(
    tx,
    sql`select 1 from git_sources where tenant_id = ${tenantId} and id = ${id} and lease_until >= now()`,
  );
  return leased ? 'held' : 'idle';
}

/** @returns false if this worker has lost the lease, else true */
export async function renewSync(tx: EntityManager, { tenantId, id, epoch }: SyncLease): Promise<boolean> {
  const renewed = await affected(
    tx,
    sql`update git_sources set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
      where tenant_id = ${tenantId} and id = ${id} and epoch = ${epoch} and lease_until is not null`,
  );
  return renewed > 0;
}

/** Releases the lease without a result, for the next worker. */
export async function releaseSync(tx: EntityManager, { tenantId, id, epoch }: SyncLease): Promise<void> {
  await affected(
    tx,
    sql`update git_sources set lease_until = null where tenant_id = ${tenantId} and id = ${id} and epoch = ${epoch}`,
  );
}

export async function requestSync(tx: EntityManager, tenantId: string, id: string): Promise<void> {
  await affected(tx, sql`update git_sources set requested_at = now() where tenant_id = ${tenantId} and id = ${id}`);
}

/**
 * Stores the result of a sync.
 * @param inSeconds delay of the next periodic sync; null: none
 * @returns `again`: whether another sync was requested meanwhile; null: the lease was lost and nothing was stored
 */
export async function storeSyncOutcome(
  tx: EntityManager,
  { tenantId, id, epoch, startedAt }: SyncLease,
  { state, error, found, hostKey, seenHostKey }: SyncOutcome,
  inSeconds: number | null,
): Promise<{ again: boolean } | null> {
  const stored = await row(
    tx,
    sql<{ again: boolean }>`update git_sources set state = ${state}, error_code = ${error?.code ?? null},
        error = ${error?.message ?? null}, tried_at = now(), lease_until = null,
        requested_at = case when requested_at > ${startedAt} then requested_at end,
        due_at = now() + make_interval(secs => ${inSeconds}::int),
        host_key = coalesce(${hostKey ? JSON.stringify(hostKey) : null}::jsonb, host_key),
        seen_host_key = case when ${seenHostKey !== undefined}
          then ${seenHostKey ? JSON.stringify(seenHostKey) : null}::jsonb else seen_host_key end
      where tenant_id = ${tenantId} and id = ${id} and epoch = ${epoch}
      returning requested_at is not null as again`,
  );
  if (!stored) return null;
  if (found) await storeFoundRefs(tx, tenantId, id, found);
  return stored;
}

async function storeFoundRefs(
  tx: EntityManager,
  tenantId: string,
  id: string,
  { commit, head, refs, leftOut, files, bytes }: NonNullable<SyncOutcome['found']>,
): Promise<void> {
  await affected(
    tx,
    sql`update git_sources set commit = coalesce(${commit}::text, commit), head_branch = ${head},
        left_out_refs = ${leftOut}, files = coalesce(${files}, files), bytes = ${bytes},
        synced_at = case when ${commit}::text is null then synced_at else now() end
      where tenant_id = ${tenantId} and id = ${id}`,
  );
  const current = JSON.stringify([...refs].map(([name, to]) => ({ name, to })));
  await affected(
    tx,
    sql`delete from git_source_refs r where r.tenant_id = ${tenantId} and r.git_source_id = ${id}
      and r.name not in (select name from jsonb_to_recordset(${current}::jsonb) as x (name text))`,
  );
  await affected(
    tx,
    sql`insert into git_source_refs as r (tenant_id, git_source_id, name, commit)
        select ${tenantId}, ${id}, x.name, x."to"
          from jsonb_to_recordset(${current}::jsonb) as x (name text, "to" text)
      on conflict (tenant_id, git_source_id, name) do update set commit = excluded.commit
        where r.commit <> excluded.commit`,
  );
}
