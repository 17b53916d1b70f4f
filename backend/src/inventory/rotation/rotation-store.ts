import type { EntityManager } from 'typeorm';
import type { ClaimedRotation, RotationHostState } from './rotation-record.js';

/** Lifetime of a lease in seconds: a worker that does not renew it within this time is considered dead. */
const LEASE_SECONDS = 20;

/** Claims the rotation. `held`: another worker has it; null: the rotation is finished. */
export async function claimRotation(
  tx: EntityManager,
  tenantId: string,
  id: string,
): Promise<ClaimedRotation | 'held' | null> {
  const [rows] = await tx.query<[ClaimedRotation[], number]>(
    `update key_rotations set epoch = epoch + 1, lease_until = now() + interval '${LEASE_SECONDS} seconds'
      where tenant_id = $1 and id = $2 and finished_at is null and (lease_until is null or lease_until < now())
      returning id, tenant_id as "tenantId", epoch, old_key_id as "oldKeyId", new_key_id as "newKeyId",
        key_name as "keyName", new_key_name as "newKeyName", old_fingerprint as "oldFingerprint"`,
    [tenantId, id],
  );
  if (rows[0]) return rows[0];
  const open = await tx.query<unknown[]>(
    'select 1 from key_rotations where tenant_id = $1 and id = $2 and finished_at is null',
    [tenantId, id],
  );
  return open.length > 0 ? 'held' : null;
}

export async function renewLease(tx: EntityManager, { tenantId, id, epoch }: ClaimedRotation): Promise<boolean> {
  const [, renewed] = await tx.query<[unknown[], number]>(
    `update key_rotations set lease_until = now() + interval '${LEASE_SECONDS} seconds'
      where tenant_id = $1 and id = $2 and epoch = $3 and finished_at is null`,
    [tenantId, id, epoch],
  );
  return renewed > 0;
}

export async function releaseLease(tx: EntityManager, { tenantId, id, epoch }: ClaimedRotation): Promise<void> {
  await tx.query('update key_rotations set lease_until = null where tenant_id = $1 and id = $2 and epoch = $3', [
    tenantId,
    id,
    epoch,
  ]);
}

/**
 * Updates the hosts of the rotation from the current servers. Adds a server that got the old key. A server that was
 * deleted or got a third key becomes `left`. A server whose key a person set to the new one becomes `switched`.
 */
export async function reconcile(tx: EntityManager, { tenantId, id, oldKeyId, newKeyId }: ClaimedRotation) {
  await lockHosts(tx, tenantId, id);
  const values = [tenantId, id, oldKeyId, newKeyId];
  await tx.query(
    `insert into key_rotation_hosts (tenant_id, rotation_id, server_id, environment_id, name, requested_by)
      select s.tenant_id, r.id, s.id, s.environment_id, s.name, r.requested_by
      from servers s join key_rotations r on r.tenant_id = $1 and r.id = $2
      where s.tenant_id = $1 and s.ssh_key_id = $3 and $4::uuid is not null
      on conflict (tenant_id, rotation_id, server_id) do update
        set state = 'pending', code = null, message = null, switched_at = null, updated_at = now()
        where key_rotation_hosts.state in ('switched', 'done', 'left')`,
    values,
  );
  await tx.query(
    `update key_rotation_hosts h set state = 'switched', switched_at = now(), updated_at = now()
      from servers s where h.tenant_id = $1 and h.rotation_id = $2 and h.state in ('pending', 'installed')
        and s.tenant_id = $1 and s.id = h.server_id and s.ssh_key_id = $4 and $3::uuid is not null`,
    values,
  );
  await tx.query(
    `update key_rotation_hosts h set state = 'left', code = null, updated_at = now(),
        message = case when s.id is null then 'The server was deleted.' else 'The server was given another key.' end
      from key_rotation_hosts k
      left join servers s on s.tenant_id = k.tenant_id and s.id = k.server_id
      where k.tenant_id = $1 and k.rotation_id = $2 and k.state not in ('done', 'given_up', 'left')
        and (s.id is null or s.ssh_key_id not in ($3, $4))
        and h.tenant_id = $1 and h.rotation_id = $2 and h.server_id = k.server_id`,
    values,
  );
}

/**
 * Locks the hosts of a rotation until the transaction ends: changes of many hosts run one after another, to avoid
 * deadlocks.
 */
export async function lockHosts(tx: EntityManager, tenantId: string, id: string): Promise<void> {
  await tx.query('select 1 from key_rotations where tenant_id = $1 and id = $2 for update', [tenantId, id]);
}

/** Returns ids of hosts in these states that were not visited for `restSeconds`, least recently visited first. */
export async function dueHosts(
  tx: EntityManager,
  { tenantId, id }: ClaimedRotation,
  states: readonly RotationHostState[],
  { limit, restSeconds = 0 }: { limit: number; restSeconds?: number },
): Promise<string[]> {
  const rows = await tx.query<{ server_id: string }[]>(
    `select server_id from key_rotation_hosts
      where tenant_id = $1 and rotation_id = $2 and state = any ($3)
        and (looked_at is null or looked_at <= now() - $5 * interval '1 second')
        and (switched_at is null or switched_at <= now() - $5 * interval '1 second')
      order by looked_at nulls first, server_id limit $4`,
    [tenantId, id, states, limit, restSeconds],
  );
  return rows.map(({ server_id }) => server_id);
}

export async function hostCounts(
  tx: EntityManager,
  { tenantId, id }: ClaimedRotation,
): Promise<Partial<Record<RotationHostState, number>>> {
  const rows = await tx.query<{ state: RotationHostState; count: number }[]>(
    `select state, count(*)::int as count from key_rotation_hosts where tenant_id = $1 and rotation_id = $2 group by state`,
    [tenantId, id],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

export interface HostStateChange {
  state: RotationHostState;
  code?: string | null;
  message?: string | null;
}

/**
 * Stores the state of a host, unless another worker holds the rotation or a person has decided about the host.
 * @param from allowed previous states
 * @returns whether the state was stored
 */
export async function storeHost(
  tx: EntityManager,
  { tenantId, id, epoch }: ClaimedRotation,
  serverId: string,
  from: readonly RotationHostState[],
  { state, code = null, message = null }: HostStateChange,
): Promise<boolean> {
  const [, stored] = await tx.query<[unknown[], number]>(
    `update key_rotation_hosts h set state = $5, code = $6, message = $7, looked_at = now(), updated_at = now(),
        switched_at = case when $5 = 'switched' then coalesce(h.switched_at, now()) else h.switched_at end
      where h.tenant_id = $1 and h.rotation_id = $2 and h.server_id = $3 and h.state = any ($8)
        and exists (select 1 from key_rotations r where r.tenant_id = $1 and r.id = $2 and r.epoch = $4 and r.finished_at is null)`,
    [tenantId, id, serverId, epoch, state, code, message, from],
  );
  return stored > 0;
}
