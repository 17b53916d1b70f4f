import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { KeyVault } from '../../keys/key-vault.js';
import { getPinnedKeys } from '../../transport/keys/pinned-key.js';
import { ServerHops } from '../checks/server-hops.js';
import { ServerAdmission } from '../checks/server-admission.js';
import { Server } from '../fields/server.entity.js';
import { toSshLogin } from '../fields/server-connection.js';
import { ServerChanges } from '../server-changes.js';
import { HostVisit, type LoginKey } from './host/host-visit.js';
import { toStoredFault, createNotPinnedFault, RotationFault } from './host/rotation-fault.js';
import type { ClaimedRotation, Requester, RotationHostStatus } from './rotation-record.js';
import { RotationRights } from './rotation-rights.js';
import { storeHostState } from './rotation-store.js';

const STATES_BEFORE_SWITCH = ['pending', 'installed'] as const satisfies readonly RotationHostStatus[];
const STATES_AFTER_SWITCH = ['switched'] as const satisfies readonly RotationHostStatus[];

@Injectable()
export class HostRotation {
  constructor(
    private readonly units: UnitOfWork,
    private readonly keys: KeyVault,
    private readonly rights: RotationRights,
    private readonly admission: ServerAdmission,
    private readonly hops: ServerHops,
    private readonly changes: ServerChanges,
  ) {}

  /**
   * Installs the new key on the host, verifies it, and sets it on the server. Errors of the host are stored, not
   * thrown.
   * @param signal aborted when another worker takes over or this worker stops; nothing new is started then
   * @throws database errors
   */
  installNewKey(rotation: ClaimedRotation, serverId: string, signal: AbortSignal): Promise<void> {
    return this.visitHost(rotation, serverId, STATES_BEFORE_SWITCH, signal, async (visit) => {
      await visit.installKeyLine();
      await this.units.run(rotation.tenantId, (tx) =>
        storeHostState(tx, rotation, serverId, STATES_BEFORE_SWITCH, { state: 'installed' }),
      );
      signal.throwIfAborted();
      await visit.verifyNewKey();
      await this.units.run(rotation.tenantId, (tx) => this.switchToNewKey(tx, rotation, serverId));
    });
  }

  /** Removes the old key from the host of a server that uses the new key. Parameters and errors as `installNewKey`. */
  removeOldKey(rotation: ClaimedRotation, serverId: string, signal: AbortSignal): Promise<void> {
    return this.visitHost(rotation, serverId, STATES_AFTER_SWITCH, signal, async (visit) => {
      await visit.removeKeyLine();
      await this.units.run(rotation.tenantId, (tx) =>
        storeHostState(tx, rotation, serverId, STATES_AFTER_SWITCH, { state: 'done' }),
      );
    });
  }

  private async visitHost(
    rotation: ClaimedRotation,
    serverId: string,
    from: readonly RotationHostStatus[],
    signal: AbortSignal,
    work: (visit: HostVisit) => Promise<void>,
  ): Promise<void> {
    try {
      const visit = await this.units.run(rotation.tenantId, (tx) =>
        this.prepareVisit(tx, rotation, serverId, from, signal),
      );
      if (visit) await work(visit);
    } catch (error) {
      // This worker aborted the step, not the host: the next worker continues.
      if (signal.aborted) return;
      const fault = toStoredFault(error);
      if (!fault) throw error;
      await this.units.run(rotation.tenantId, (tx) =>
        storeHostState(tx, rotation, serverId, from, { state: 'failed', ...fault }),
      );
    }
  }

  /** @returns null if nothing is left to do. @throws RotationFault */
  private async prepareVisit(
    tx: EntityManager,
    rotation: ClaimedRotation,
    serverId: string,
    from: readonly RotationHostStatus[],
    signal: AbortSignal,
  ): Promise<HostVisit | null> {
    const { tenantId, id, oldKeyId, newKeyId, epoch } = rotation;
    const host = await row(
      tx,
      sql<{ requested_by: Requester }>`update key_rotation_hosts set visits = visits + 1, looked_at = now()
        where tenant_id = ${tenantId} and rotation_id = ${id} and server_id = ${serverId} and state = any (${from})
          and exists (select 1 from key_rotations
            where tenant_id = ${tenantId} and id = ${id} and epoch = ${epoch} and finished_at is null)
        returning requested_by`,
    );
    const server = await tx.getRepository(Server).findOneBy({ tenantId, id: serverId });
    const requester = host?.requested_by;
    if (!server || !requester) return null;
    await this.requireAuthorizedCaller(tx, requester, server);
    const pins = getPinnedKeys(server);
    if (pins.length === 0) throw createNotPinnedFault();
    const hops = await this.hops.findHopsTo(tx, server);
    const privateKeys = await this.keys.openPrivateKeys(tx, tenantId, [oldKeyId, newKeyId]);
    const lines = await this.keys.readPublicKeys(tx, tenantId, [oldKeyId, newKeyId]);
    const keyOf = (keyId: string): LoginKey => ({
      publicKey: lines.get(keyId) ?? '',
      privateKey: privateKeys.get(keyId)?.privateKey ?? '',
    });
    return new HostVisit(
      {
        ...toSshLogin(server, pins),
        ...{ hops, oldKey: keyOf(oldKeyId), newKey: keyOf(newKeyId) },
      },
      { ...this.admission.createAdmissionOptions(server), signal },
    );
  }

  /**
   * Sets the new key on the server, with host state and audit entry in one transaction. Later logins use the new key.
   */
  private async switchToNewKey(tx: EntityManager, rotation: ClaimedRotation, serverId: string): Promise<void> {
    const { tenantId, id, oldKeyId, newKeyId } = rotation;
    const lock = { mode: 'for_no_key_update' as const };
    const server = await tx.getRepository(Server).findOne({ where: { tenantId, id: serverId }, lock });
    // Someone changed the server in between; the next round reads its new state.
    if (server?.sshKeyId !== oldKeyId) return;
    const host = await row(
      tx,
      sql<{ requested_by: Requester }>`select requested_by from key_rotation_hosts
        where tenant_id = ${tenantId} and rotation_id = ${id} and server_id = ${serverId}`,
    );
    if (!host || !(await storeHostState(tx, rotation, serverId, STATES_BEFORE_SWITCH, { state: 'switched' }))) return;
    const caller = await this.requireAuthorizedCaller(tx, host.requested_by, server);
    await this.changes.saveChange(tx, caller, server, { sshKeyId: newKeyId }, 'server.rotate_key');
  }

  private async requireAuthorizedCaller(tx: EntityManager, requester: Requester, server: Server): Promise<Principal> {
    const caller = await this.rights.findCaller(tx, requester, server.environmentId);
    if (caller) return caller;
    throw new RotationFault(
      'rights_ended',
      `${requester.name}, who requested the rotation, may not change this server: it requires the grant "run" in its environment, and "approve" if that is protected. Nothing was sent to the host. A member with this grant can try again.`,
    );
  }
}
