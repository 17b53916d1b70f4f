import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../audit/audit-actions.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { requireVersion } from '../common/http/etag.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { KeyVault } from '../keys/key-vault.js';
import { type PinnedKey, getPinnedKeys, toStoredPins } from '../transport/keys/pinned-key.js';
import { UNCHECKED_STATE } from './fields/check-state.js';
import { parseRequestedPins } from './fields/requested-pins.js';
import { JumpPaths } from './jump-paths.js';
import { HostClaims } from './machines/host-claims.js';
import { toHostClaim, getNewPins } from './machines/host-collisions.js';
import { getChangedMachine, type ServerMachine, ServerMachines } from './machines/server-machines.js';
import { HostApproval } from './host-approval.js';
import { type PinnedHow, Server } from './fields/server.entity.js';
import type { ServerField } from './fields/server-fields.js';
import { completeSettings } from './fields/server-settings.js';
import { ServerLookup } from './server-lookup.js';
import { ServerViews } from './server-views.js';
import type { CreateServerRequest, UpdateServerRequest } from './servers.dto.js';
import type { AuditedServer, ServerView } from './servers.view.js';

export type ServerChange = UpdateServerRequest & { pinned?: readonly PinnedKey[] };

type ColumnChange = Partial<Server>;

/** Stores servers in the caller's unit of work. Enforces all rules and writes the audit entry. */
@Injectable()
export class ServerChanges {
  constructor(
    private readonly audit: AuditTrail,
    private readonly servers: ServerLookup,
    private readonly environments: EnvironmentReader,
    private readonly keys: KeyVault,
    private readonly machines: ServerMachines,
    private readonly claims: HostClaims,
    private readonly approval: HostApproval,
    private readonly views: ServerViews,
    private readonly jumps: JumpPaths,
  ) {}

  /**
   * Registers a server.
   * @param machine address and environment to register; its id becomes the id of the server
   * @throws Problem 404; 403 `grant_required`; 409 `protected_host`, `host_proved_elsewhere`, `duplicate_address`,
   *   `jump_path`
   */
  async insertServer(
    tx: EntityManager,
    caller: Principal,
    request: CreateServerRequest,
    machine: ServerMachine & { name: string },
    pinnedHow: PinnedHow = 'registered',
  ): Promise<ServerView> {
    const { hostKey, hostKeys, confirmHosts = false, ...others } = request;
    const fields: Pick<CreateServerRequest, ServerField> = others;
    const { tenantId } = caller;
    const pinned = parseRequestedPins({ hostKey, hostKeys }) ?? [];
    const environment = await this.environments.findVisibleEnvironment(
      tx,
      caller,
      request.environmentId,
      '/environmentId',
    );
    await this.keys.getVisibleKey(tx, caller, request.sshKeyId, '/sshKeyId');
    await this.environments.requireOwnRunRight(tx, caller, environment);
    await this.machines.requireOwnKeys(tx, caller, machine, pinned);
    const jumpServerId = request.jumpServerId ?? null;
    if (jumpServerId !== null) await this.jumps.requireUsablePath(tx, caller, machine, jumpServerId);
    await tx.getRepository(Server).insert({
      ...fields,
      id: machine.id,
      tenantId,
      port: machine.port,
      tags: request.tags ?? {},
      enabled: request.enabled ?? true,
      externalSource: request.externalSource ?? null,
      externalId: request.externalId ?? null,
      jumpServerId,
      ...completeSettings(fields),
      ...toStoredPins(pinned),
      pinnedBy: caller.name,
      pinnedById: caller.userId,
      pinnedHow,
      seenHostKey: null,
      ...UNCHECKED_STATE,
      lastReachedAddress: null,
      facts: null,
      factsAt: null,
      knownDouble: false,
      disabledByImport: false,
    });
    await this.machines.requireUniqueMachine(tx, tenantId, machine);
    await this.claims.settleClaims(tx, caller, machine.environmentId, [toHostClaim(machine, pinned)], {
      confirmHosts,
      own: pinnedHow !== 'enrolled',
    });
    const after = await this.readAuditedServer(tx, caller, machine.id);
    await this.audit.recordChange(tx, caller, { action: 'server.create', after });
    return this.views.addProtection(tx, tenantId, after);
  }

  /**
   * Changes a server whose row the transaction has locked. Another address or jump server clears the pinned host keys,
   * unless the change contains new keys: a pin is valid only where the key was seen.
   * @param changing receives the changed machine before it is stored
   * @throws Problem 404; 403 `grant_required`; 409 `protected_host`, `host_proved_elsewhere`, `duplicate_address`,
   *   `jump_path`; 412
   */
  async changeServer(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    { pinned, confirmHosts = false, ...request }: ServerChange,
    version: number | null,
    changing: (machine: ServerMachine) => void,
  ): Promise<ServerView> {
    const { environmentId, sshKeyId } = request;
    const target =
      environmentId === undefined
        ? null
        : await this.environments.findVisibleEnvironment(tx, caller, environmentId, '/environmentId');
    if (sshKeyId !== undefined) await this.keys.getVisibleKey(tx, caller, sshKeyId, '/sshKeyId');
    await this.environments.requireRunnable(tx, caller, server.environmentId);
    if (target) await this.environments.requireOwnRunRight(tx, caller, target);
    requireVersion(server, version);
    const machine = getChangedMachine(server, request);
    changing(machine);
    const hasNewJumpServer = request.jumpServerId !== undefined && request.jumpServerId !== server.jumpServerId;
    const moved = machine.hostname !== server.hostname || machine.port !== server.port;
    // The same address behind another jump server may be another machine.
    const hasNewAddress = moved || hasNewJumpServer;
    if (hasNewJumpServer && typeof request.jumpServerId === 'string')
      await this.jumps.requireUsablePath(
        tx,
        caller,
        { id: server.id, name: request.name ?? server.name },
        request.jumpServerId,
      );
    const changesEnvironment = machine.environmentId !== server.environmentId;
    if (changesEnvironment) await this.approval.requireMoveRight(tx, caller, server);
    const isAnotherMachine = hasNewAddress || changesEnvironment || machine.username !== server.username;
    const change = {
      ...request,
      ...(isAnotherMachine ? { knownDouble: false } : {}),
      ...(request.enabled === undefined ? {} : { disabledByImport: false }),
      ...(hasNewAddress || pinned
        ? {
            ...toStoredPins(pinned ?? []),
            pinnedBy: caller.name,
            pinnedById: caller.userId,
            pinnedHow: pinned ? ('set' as const) : ('readdressed' as const),
            seenHostKey: null,
            ...UNCHECKED_STATE,
            lastReachedAddress: null,
          }
        : {}),
    };
    const after = await this.saveChange(tx, caller, server, change, 'server.update');
    if (isAnotherMachine) await this.machines.requireUniqueMachine(tx, caller.tenantId, machine);
    // Host keys are validated after saving, when the server no longer belongs to its previous environment.
    const pins = pinned ?? (hasNewAddress ? [] : getPinnedKeys(server));
    const { name } = after;
    if (changesEnvironment || pinned) await this.machines.requireOwnKeys(tx, caller, { ...machine, name }, pins);
    const elsewhere = hasNewAddress || changesEnvironment;
    if (elsewhere || pinned) {
      const hostname = elsewhere ? machine.hostname : null;
      const claim = toHostClaim(
        { ...machine, name, hostname },
        getNewPins(pins, elsewhere ? [] : getPinnedKeys(server)),
      );
      await this.claims.settleClaims(tx, caller, machine.environmentId, [claim], { confirmHosts });
    }
    return this.views.addProtection(tx, caller.tenantId, after);
  }

  /** @throws Problem 403 `grant_required` */
  saveChange(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    change: ColumnChange,
    action: AuditActionName,
  ): Promise<ServerView> {
    return this.saveWithChange(tx, caller, server, () => Promise.resolve(), action, {}, change);
  }

  /**
   * Like `save`, but also runs `furtherChange` before saving. @param additions additional content of the audit entry
   */
  async saveWithChange(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    furtherChange: () => Promise<void>,
    action: AuditActionName,
    additions: object,
    change: ColumnChange = {},
  ): Promise<ServerView> {
    await this.approval.requireChangeRight(tx, caller, server, change);
    const before = (await this.views.loadAuditedServers(tx, [server]))(server);
    await furtherChange();
    await tx
      .getRepository(Server)
      .update(
        { tenantId: caller.tenantId, id: server.id },
        { ...change, updatedAt: () => 'now()', version: () => 'version + 1' },
      );
    const after = await this.readAuditedServer(tx, caller, server.id);
    await this.audit.recordChange(tx, caller, {
      action,
      before,
      after: { ...after, ...additions },
    });
    return this.views.addProtection(tx, caller.tenantId, after);
  }

  private async readAuditedServer(tx: EntityManager, caller: Principal, id: string): Promise<AuditedServer> {
    const server = await this.servers.getVisible(tx, caller, id);
    return (await this.views.loadAuditedServers(tx, [server]))(server);
  }
}
