import type { EntityManager } from 'typeorm';
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
export type Claim = SyncLease | 'held' | 'idle';

export async function claimSync(tx: EntityManager, tenantId: string, id: string): Promise<Claim> {
  const [rows] = await tx.query<[{ epoch: number; at: Date }[], number]>(
    `update git_sources set epoch = epoch + 1, lease_until = now() + make_interval(secs => $3)
      where tenant_id = $1 and id = $2 and (lease_until is null or lease_until < now())
        and (requested_at is not null or due_at <= now() + interval '1 second')
      returning epoch, now() as at`,
    [tenantId, id, LEASE_SECONDS],
  );
  const [row] = rows;
  if (row) return { tenantId, id, epoch: row.epoch, startedAt: row.at };
  const leaseRows = await tx.query<unknown[]>(
    'select 1 from git_sources where tenant_id = $1 and id = $2 and lease_until >= now()',
    [tenantId, id],
  );
  return leaseRows.length > 0 ? 'held' : 'idle';
}

/** @returns false if this worker has lost the lease, else true */
export async function renewSync(tx: EntityManager, { tenantId, id, epoch }: SyncLease): Promise<boolean> {
  const [, renewed] = await tx.query<[unknown[], number]>(
    `update git_sources set lease_until = now() + make_interval(secs => $4) where tenant_id = $1 and id = $2 and epoch = $3
      and lease_until is not null`,
    [tenantId, id, epoch, LEASE_SECONDS],
  );
  return renewed > 0;
}

/** Releases the lease without a result, for the next worker. */
export async function releaseSync(tx: EntityManager, { tenantId, id, epoch }: SyncLease): Promise<void> {
  await tx.query('update git_sources set lease_until = null where tenant_id = $1 and id = $2 and epoch = $3', [
    tenantId,
    id,
    epoch,
  ]);
}

export async function requestSync(tx: EntityManager, tenantId: string, id: string): Promise<void> {
  await tx.query('update git_sources set requested_at = now() where tenant_id = $1 and id = $2', [tenantId, id]);
}

/**
 * Stores the result of a sync.
 * @param inSeconds delay of the next periodic sync; null: none
 * @returns `again`: whether another sync was requested meanwhile; null: the lease was lost and nothing was stored
 */
export async function storeSync(
  tx: EntityManager,
  { tenantId, id, epoch, startedAt }: SyncLease,
  { state, error, found, hostKey, seenHostKey }: SyncOutcome,
  inSeconds: number | null,
): Promise<{ again: boolean } | null> {
  const [rows] = await tx.query<[{ again: boolean }[], number]>(
    `update git_sources set state = $4, error_code = $5, error = $6, tried_at = now(), lease_until = null,
        requested_at = case when requested_at > $7 then requested_at end,
        due_at = now() + make_interval(secs => $8::int),
        host_key = coalesce($9::jsonb, host_key),
        seen_host_key = case when $10 then $11::jsonb else seen_host_key end
      where tenant_id = $1 and id = $2 and epoch = $3
      returning requested_at is not null as again`,
    [
      tenantId,
      id,
      epoch,
      state,
      error?.code ?? null,
      error?.message ?? null,
      startedAt,
      inSeconds,
      hostKey ? JSON.stringify(hostKey) : null,
      seenHostKey !== undefined,
      seenHostKey ? JSON.stringify(seenHostKey) : null,
    ],
  );
  const [row] = rows;
  if (!row) return null;
  if (found) await storeFound(tx, tenantId, id, found);
  return row;
}

async function storeFound(
  tx: EntityManager,
  tenantId: string,
  id: string,
  { commit, head, refs, leftOut, files, bytes }: NonNullable<SyncOutcome['found']>,
): Promise<void> {
  await tx.query(
    `update git_sources set commit = coalesce($3, commit), head_branch = $4, left_out_refs = $5, files = coalesce($6, files), bytes = $7,
        synced_at = case when $3::text is null then synced_at else now() end
      where tenant_id = $1 and id = $2`,
    [tenantId, id, commit, head, leftOut, files, bytes],
  );
  const rows = JSON.stringify([...refs].map(([name, to]) => ({ name, to })));
  await tx.query(
    `delete from git_source_refs r where r.tenant_id = $1 and r.git_source_id = $2
      and r.name not in (select name from jsonb_to_recordset($3::jsonb) as x (name text))`,
    [tenantId, id, rows],
  );
  await tx.query(
    `insert into git_source_refs as r (tenant_id, git_source_id, name, commit)
        select $1, $2, x.name, x."to" from jsonb_to_recordset($3::jsonb) as x (name text, "to" text)
      on conflict (tenant_id, git_source_id, name) do update set commit = excluded.commit where r.commit <> excluded.commit`,
    [tenantId, id, rows],
  );
}
