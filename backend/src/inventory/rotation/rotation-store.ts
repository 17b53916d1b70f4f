import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import type { ClaimedRotation, RotationHostStatus } from './rotation-record.js';

/** Lifetime of a lease in seconds: a worker that does not renew it within this time is considered dead. */
const ROTATION_LEASE_SECONDS = 20;

/** Claims the rotation. `held`: another worker has it; null: the rotation is finished. */
export async function claimRotation(
  tx: EntityManager,
  tenantId: string,
  id: string,
): Promise<ClaimedRotation | 'held' | null> {
  const claimed = await row(
    tx,
    // The casts declare the keys not null: a key of an open rotation cannot be deleted.
    sql<ClaimedRotation>`update key_rotations
      set epoch = epoch + 1, lease_until = now() + make_interval(secs => ${ROTATION_LEASE_SECONDS})
      where tenant_id = ${tenantId} and id = ${id} and finished_at is null
        and (lease_until is null or lease_until < now())
      returning id, tenant_id as "tenantId", epoch, old_key_id::text as "oldKeyId", new_key_id::text as "newKeyId",
        key_name as "keyName", new_key_name as "newKeyName", old_fingerprint as "oldFingerprint"`,
  );
  if (claimed) return claimed;
  const open = await row(
    tx,
    sql`select 1 from key_rotations where tenant_id = ${tenantId} and id = ${id} and finished_at is null`,
  );
  return open === undefined ? null : 'held';
}

export async function renewLease(tx: EntityManager, { tenantId, id, epoch }: ClaimedRotation): Promise<boolean> {
  const renewed = await affected(
    tx,
    sql`update key_rotations set lease_until = now() + make_interval(secs => ${ROTATION_LEASE_SECONDS})
      where tenant_id = ${tenantId} and id = ${id} and epoch = ${epoch} and finished_at is null`,
  );
  return renewed > 0;
}

export async function releaseLease(tx: EntityManager, { tenantId, id, epoch }: ClaimedRotation): Promise<void> {
  await affected(
    tx,
    sql`update key_rotations set lease_until = null
      where tenant_id = ${tenantId} and id = ${id} and epoch = ${epoch}`,
  );
}

/**
 * Updates the hosts of the rotation from the current servers. Adds a server that got the old key. A server that was
 * deleted or got a third key becomes `left`. A server whose key a person set to the new one becomes `switched`.
 */
export async function reconcileHosts(tx: EntityManager, { tenantId, id, oldKeyId, newKeyId }: ClaimedRotation) {
  await lockHosts(tx, tenantId, id);
  await affected(
    tx,
    sql`insert into key_rotation_hosts (tenant_id, rotation_id, server_id, environment_id, name, requested_by)
      select s.tenant_id, r.id, s.id, s.environment_id, s.name, r.requested_by
      from servers s join key_rotations r on r.tenant_id = ${tenantId} and r.id = ${id}
      where s.tenant_id = ${tenantId} and s.ssh_key_id = ${oldKeyId}
      on conflict (tenant_id, rotation_id, server_id) do update
        set state = 'pending', code = null, message = null, switched_at = null, updated_at = now()
        where key_rotation_hosts.state in ('switched', 'done', 'left')`,
  );
  await affected(
    tx,
    sql`update key_rotation_hosts h set state = 'switched', switched_at = now(), updated_at = now()
      from servers s
      where h.tenant_id = ${tenantId} and h.rotation_id = ${id} and h.state in ('pending', 'installed')
        and s.tenant_id = ${tenantId} and s.id = h.server_id and s.ssh_key_id = ${newKeyId}`,
  );
  await affected(
    tx,
    sql`update key_rotation_hosts h set state = 'left', code = null, updated_at = now(),
        message = case when s.id is null then 'The server was deleted.' else 'The server was given another key.' end
      from key_rotation_hosts k
      left join servers s on s.tenant_id = k.tenant_id and s.id = k.server_id
      where k.tenant_id = ${tenantId} and k.rotation_id = ${id} and k.state not in ('done', 'given_up', 'left')
        and (s.id is null or s.ssh_key_id not in (${oldKeyId}, ${newKeyId}))
        and h.tenant_id = ${tenantId} and h.rotation_id = ${id} and h.server_id = k.server_id`,
  );
}

/**
 * Locks the hosts of a rotation until the transaction ends: changes of many hosts run one after another, to avoid
 * deadlocks.
 */
export async function lockHosts(tx: EntityManager, tenantId: string, id: string): Promise<void> {
  await row(tx, sql`select 1 from key_rotations where tenant_id = ${tenantId} and id = ${id} for update`);
}

/** Returns ids of hosts in these states that were not visited for `restSeconds`, least recently visited first. */
export async function findDueHosts(
  tx: EntityManager,
  { tenantId, id }: ClaimedRotation,
  states: readonly RotationHostStatus[],
  { limit, restSeconds = 0 }: { limit: number; restSeconds?: number },
): Promise<string[]> {
  const before = sql`now() - make_interval(secs => ${restSeconds})`;
  const hosts = await rows(
    tx,
    sql<{ server_id: string }>`select server_id from key_rotation_hosts
      where tenant_id = ${tenantId} and rotation_id = ${id} and state = any (${states})
        and (looked_at is null or looked_at <= ${before})
        and (switched_at is null or switched_at <= ${before})
      order by looked_at nulls first, server_id limit ${limit}`,
  );
  return hosts.map(({ server_id }) => server_id);
}

export async function countHostsByState(
  tx: EntityManager,
  { tenantId, id }: ClaimedRotation,
): Promise<Partial<Record<RotationHostStatus, number>>> {
  const counts = await rows(
    tx,
    sql<{ state: RotationHostStatus; count: number }>`select state, count(*)::int as count from key_rotation_hosts
      where tenant_id = ${tenantId} and rotation_id = ${id} group by state`,
  );
  return Object.fromEntries(counts.map(({ state, count }) => [state, count]));
}

export interface HostStateChange {
  state: RotationHostStatus;
  code?: string | null;
  message?: string | null;
}

/**
 * Stores the state of a host, unless another worker holds the rotation or a person has decided about the host.
 * @param from allowed previous states
 * @returns whether the state was stored
 */
export async function storeHostState(
  tx: EntityManager,
  { tenantId, id, epoch }: ClaimedRotation,
  serverId: string,
  from: readonly RotationHostStatus[],
  { state, code = null, message = null }: HostStateChange,
): Promise<boolean> {
  const stored = await affected(
    tx,
    sql`update key_rotation_hosts h
      set state = ${state}, code = ${code}, message = ${message}, looked_at = now(), updated_at = now(),
        switched_at = case when ${state}::text = 'switched' then coalesce(h.switched_at, now()) else h.switched_at end
      where h.tenant_id = ${tenantId} and h.rotation_id = ${id} and h.server_id = ${serverId} and h.state = any (${from})
        and exists (select 1 from key_rotations r
          where r.tenant_id = ${tenantId} and r.id = ${id} and r.epoch = ${epoch} and r.finished_at is null)`,
  );
  return stored > 0;
}
