import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest } from '../../common/errors/problem.js';
import { isId, newId } from '../../common/ids.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';
import { KeyVault } from '../../keys/key-vault.js';
import { KeyCreator } from '../../keys/new-keys.js';
import { toRequester, type RotationHostStatus } from './rotation-record.js';
import { lockHosts } from './rotation-store.js';
import { RotationRights } from './rotation-rights.js';
import { RotationsReader } from './rotations.reader.js';
import type { ChosenHostsRequest, GiveUpHostsRequest, RotateKeyRequest } from './rotations.dto.js';

/**
 * Number of rotations kept per tenant. Older rotations are deleted with their hosts; their changes stay in the audit
 * trail.
 */
const MAX_KEPT_ROTATIONS = 200;
const UNDECIDED_STATES: readonly RotationHostStatus[] = ['pending', 'installed', 'switched', 'failed'];

/** Accepts requests for rotations and decisions about their hosts. A worker executes them. */
@Injectable()
export class RotationRequests {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly vault: KeyVault,
    private readonly newKeys: KeyCreator,
    private readonly rights: RotationRights,
    private readonly rotations: RotationsReader,
    private readonly queue: JobQueue,
  ) {}

  /**
   * Starts a rotation on all servers that sign in with the key. Refused if the caller may not change one of the
   * servers.
   * @returns id of the rotation
   * @throws Problem 400; 403 `grant_required`; 404; 409 `rotation_open`, `nothing_to_rotate`; 429 `too_many_at_once`; 503
   *   `busy`
   */
  async beginRotation(caller: Principal, keyId: string, request: RotateKeyRequest): Promise<string> {
    // The request is validated first, because generating a key is expensive.
    const { name } = await this.units.run(caller.tenantId, async (tx) => {
      const key = await this.vault.getVisibleKey(tx, caller, keyId);
      await this.requireRotatableKey(tx, caller, keyId);
      return key;
    });
    const material = await this.newKeys.createMaterial(caller, { ...request, name });
    const id = newId();
    return this.units.run(caller.tenantId, async (tx) => {
      const key = await this.vault.getLocked(tx, caller, keyId);
      await this.requireRotatableKey(tx, caller, keyId);
      if (material.fingerprint === key.fingerprint)
        throw invalidRequest([
          {
            path: '/privateKey',
            code: 'same_key',
            message: 'This is the key that is being rotated. Send another one.',
          },
        ]);
      const newName = await this.vault.findFreeName(tx, caller.tenantId, key.name, ' (new)');
      const newKeyId = await this.newKeys.insertKey(tx, caller, newName, material);
      const requester = JSON.stringify(toRequester(caller));
      await affected(
        tx,
        sql`insert into key_rotations (id, tenant_id, old_key_id, new_key_id, key_name, new_key_name, old_fingerprint,
            new_fingerprint, requested_by, created_by)
          values (${id}, ${caller.tenantId}, ${keyId}, ${newKeyId}, ${key.name}, ${newName}, ${key.fingerprint},
            ${material.fingerprint}, ${requester}::jsonb, ${caller.userId})`,
      );
      const servers = await affected(
        tx,
        sql`insert into key_rotation_hosts (tenant_id, rotation_id, server_id, environment_id, name, requested_by)
          select tenant_id, ${id}, id, environment_id, name, ${requester}::jsonb from servers
            where tenant_id = ${caller.tenantId} and ssh_key_id = ${keyId}`,
      );
      await deleteOldRotations(tx, caller.tenantId);
      await this.audit.record(tx, caller, {
        action: 'ssh_key.rotate',
        resourceId: keyId,
        resourceName: key.name,
        after: { rotationId: id, newKeyId, newFingerprint: material.fingerprint, servers },
      });
      await this.queue.enqueueKeyRotation(tx, { tenantId: caller.tenantId, rotationId: id });
      return id;
    });
  }

  /**
   * Retries failed hosts with the rights of the caller.
   * @throws Problem 403 `grant_required`; 404; 409 `no_hosts_waiting`
   */
  retryHosts(caller: Principal, id: string, request: ChosenHostsRequest): Promise<void> {
    return this.changeHostStates(caller, id, request, ['failed'], async (tx, serverIds) => {
      const requester = JSON.stringify(toRequester(caller));
      await affected(
        tx,
        sql`update key_rotation_hosts h
          set state = case when s.ssh_key_id = r.new_key_id then 'switched' else 'pending' end, code = null, message = null,
            requested_by = ${requester}::jsonb, looked_at = null, updated_at = now()
          from servers s, key_rotations r
          where h.tenant_id = ${caller.tenantId} and h.rotation_id = ${id} and h.server_id = any (${serverIds})
            and s.tenant_id = ${caller.tenantId} and s.id = h.server_id
            and r.tenant_id = ${caller.tenantId} and r.id = ${id}`,
      );
      return { action: 'key_rotation.retry', details: {} };
    });
  }

  /**
   * Excludes hosts from the rotation. A server that uses the old key keeps it. If a server uses the new key, its host
   * may keep the old public key.
   * @throws Problem 403 `grant_required`; 404; 409 `no_hosts_waiting`
   */
  giveUpHosts(caller: Principal, id: string, { comment, ...request }: GiveUpHostsRequest): Promise<void> {
    const from = request.serverIds ? UNDECIDED_STATES : (['failed'] as const);
    return this.changeHostStates(caller, id, request, from, async (tx, serverIds) => {
      await affected(
        tx,
        sql`update key_rotation_hosts h set state = 'given_up', code = null, updated_at = now(),
            message = case when s.ssh_key_id = r.new_key_id
              then 'The server uses the new key. The old public key may still be on the host: remove it there by hand.'
              else 'The server keeps the old key. The new public key may be on the host already.' end
          from key_rotations r, servers s
          where h.tenant_id = ${caller.tenantId} and h.rotation_id = ${id} and h.server_id = any (${serverIds})
            and r.tenant_id = ${caller.tenantId} and r.id = ${id}
            and s.tenant_id = ${caller.tenantId} and s.id = h.server_id`,
      );
      return { action: 'key_rotation.give_up', details: { comment } };
    });
  }

  private changeHostStates(
    caller: Principal,
    id: string,
    { serverIds }: ChosenHostsRequest,
    from: readonly RotationHostStatus[],
    write: (tx: EntityManager, serverIds: readonly string[]) => Promise<{ action: AuditActionName; details: object }>,
  ): Promise<void> {
    const requested = serverIds ? sql`h.server_id = any (${serverIds.filter(isId)}::uuid[])` : sql.raw('true');
    return this.units.run(caller.tenantId, async (tx) => {
      const { keyName } = await this.rotations.find(tx, caller, id);
      await lockHosts(tx, caller.tenantId, id);
      const hosts = await rows(
        tx,
        sql<{ id: string; name: string }>`select h.server_id as id, h.name
          from key_rotation_hosts h join servers s on s.tenant_id = h.tenant_id and s.id = h.server_id
          where h.tenant_id = ${caller.tenantId} and h.rotation_id = ${id} and h.state = any (${from}) and ${requested}
            and ${isInVisibleEnvironmentSql(sql.raw('s'), caller)}
          order by h.server_id for update of h`,
      );
      if (hosts.length === 0)
        throw conflict(
          'no_hosts_waiting',
          'None of the requested hosts that you can see is in a state that allows this. Check the states of the hosts.',
        );
      const selectedIds = hosts.map((host) => host.id);
      await this.rights.requireRotationRights(tx, caller, { serverIds: selectedIds });
      const { action, details: auditDetails } = await write(tx, selectedIds);
      await this.audit.record(tx, caller, {
        action,
        resourceId: id,
        resourceName: keyName,
        after: { ...auditDetails, servers: hosts.slice(0, 100).map(({ name }) => name), count: hosts.length },
      });
      await this.queue.enqueueKeyRotation(tx, { tenantId: caller.tenantId, rotationId: id });
    });
  }

  private async requireRotatableKey(tx: EntityManager, caller: Principal, keyId: string): Promise<void> {
    const open = await row(
      tx,
      sql<{ id: string; key_name: string }>`select id, key_name from key_rotations
        where tenant_id = ${caller.tenantId} and finished_at is null and ${keyId} in (old_key_id, new_key_id)`,
    );
    if (open)
      throw conflict(
        'rotation_open',
        `A rotation of "${open.key_name}" is still open. Retry or give up its unfinished hosts first.`,
        { referrers: [{ type: 'key_rotation', id: open.id, name: open.key_name }] },
      );
    await this.rights.requireRotationRights(tx, caller, { keyId });
    const used = await row(
      tx,
      sql`select 1 from servers where tenant_id = ${caller.tenantId} and ssh_key_id = ${keyId} limit 1`,
    );
    if (used === undefined)
      throw conflict(
        'nothing_to_rotate',
        'No server signs in with this key, so it cannot be rotated on any host. Create a new key instead, and delete this one.',
      );
  }
}

async function deleteOldRotations(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(
    tx,
    sql`delete from key_rotations where tenant_id = ${tenantId} and finished_at is not null and id not in (
      select id from key_rotations where tenant_id = ${tenantId} order by id desc limit ${MAX_KEPT_ROTATIONS})`,
  );
}
