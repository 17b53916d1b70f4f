import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, invalidRequest } from '../common/errors/problem.js';
import { demandVersion } from '../common/http/if-match.js';
import { newId } from '../common/ids.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { mayApprove } from '../environments/grant-policy.js';
import { KeyVault } from '../keys/key-vault.js';
import { type HostKey, parseHostKey } from '../transport/keys/host-key.js';
import { UNCHECKED } from './check-state.js';
import { changedMachine, type Machine, ServerMachines } from './machines/server-machines.js';
import { SERVER_USE, type ServerUse } from './ports/server-use.js';
import { Server } from './server.entity.js';
import { ServerLookup } from './server-lookup.js';
import { ServerViews } from './server-views.js';
import type { CreateServerRequest, UpdateServerRequest } from './servers.dto.js';
import type { ServerView } from './servers.view.js';

const RESOURCE = 'server';

@Injectable()
export class ServersService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly servers: ServerLookup,
    private readonly environments: EnvironmentReader,
    private readonly keys: KeyVault,
    private readonly machines: ServerMachines,
    private readonly views: ServerViews,
    @Inject(SERVER_USE) private readonly use: ServerUse,
  ) {}

  get(caller: Principal, id: string): Promise<ServerView> {
    return this.units.run(caller.tenantId, async (tx) =>
      this.views.one(tx, await this.servers.visible(tx, caller, id)),
    );
  }

  create(caller: Principal, request: CreateServerRequest): Promise<ServerView> {
    const { hostKey, ...fields } = request;
    const pinned = hostKey ? hostKeyOf(hostKey.publicKey) : null;
    const id = newId();
    const machine = { ...request, id, port: request.port ?? 22 };
    return this.machines.storing(
      caller.tenantId,
      () => machine,
      async (tx) => {
        const environment = await this.environments.visible(tx, caller, request.environmentId, '/environmentId');
        await this.keys.visible(tx, caller, request.sshKeyId, '/sshKeyId');
        await this.environments.demandRun(tx, caller, environment);
        if (pinned) await this.machines.demandOwnKey(tx, caller.tenantId, machine, pinned);
        await tx.getRepository(Server).insert({
          ...fields,
          id,
          tenantId: caller.tenantId,
          port: machine.port,
          tags: request.tags ?? {},
          enabled: request.enabled ?? true,
          hostKey: pinned,
          seenHostKey: null,
          ...UNCHECKED,
          lastReachedAddress: null,
          knownDouble: false,
        });
        await this.machines.demandOwn(tx, caller.tenantId, machine);
        const after = await this.views.one(tx, await this.servers.visible(tx, caller, id));
        await this.audit.recordChange(tx, caller, { action: 'server.create', resourceType: RESOURCE, after });
        return after;
      },
    );
  }

  /** Changes a server. Another address takes the pinned host key away: a pin belongs to where it was seen. */
  async update(
    caller: Principal,
    id: string,
    request: UpdateServerRequest,
    version: number | null,
  ): Promise<ServerView> {
    let machine: Machine | null = null;
    return this.machines.storing(
      caller.tenantId,
      () => machine,
      async (tx) => {
        const server = await this.servers.held(tx, caller, id);
        const { environmentId, sshKeyId } = request;
        const target =
          environmentId === undefined
            ? null
            : await this.environments.visible(tx, caller, environmentId, '/environmentId');
        if (sshKeyId !== undefined) await this.keys.visible(tx, caller, sshKeyId, '/sshKeyId');
        await this.environments.runnable(tx, caller, server.environmentId);
        if (target) await this.environments.demandRun(tx, caller, target);
        demandVersion(server, version);
        machine = changedMachine(server, request);
        const readdressed = machine.hostname !== server.hostname || machine.port !== server.port;
        const transferred = machine.environmentId !== server.environmentId;
        if (readdressed || transferred) await this.demandRelease(tx, caller, server);
        const another = readdressed || transferred || machine.username !== server.username;
        const change = {
          ...request,
          ...(another ? { knownDouble: false } : {}),
          ...(readdressed ? { hostKey: null, seenHostKey: null, ...UNCHECKED, lastReachedAddress: null } : {}),
        };
        const after = await this.save(tx, caller, server, change, 'server.update');
        if (another) await this.machines.demandOwn(tx, caller.tenantId, machine);
        // Asked afterwards: the server is no machine of the environment that it has left.
        if (transferred && after.hostKey)
          await this.machines.demandOwnKey(tx, caller.tenantId, { ...machine, name: after.name }, after.hostKey);
        return after;
      },
    );
  }

  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.writable(tx, caller, id);
      const server = await this.servers.held(tx, caller, id);
      demandVersion(server, version);
      await this.demandRelease(tx, caller, server);
      if (await this.use.inOpenRun(tx, caller.tenantId, id))
        throw conflict(
          'in_use',
          `A run that targets "${server.name}" has not finished. Wait for it or cancel it first.`,
        );
      await tx.getRepository(Server).delete({ tenantId: caller.tenantId, id });
      await this.audit.recordChange(tx, caller, {
        action: 'server.delete',
        resourceType: RESOURCE,
        before: await this.views.one(tx, server),
      });
    });
  }

  /** Writes the change with its audit entry. */
  save(tx: EntityManager, caller: Principal, server: Server, change: object, action: string): Promise<ServerView> {
    return this.saveWith(tx, caller, server, () => Promise.resolve(), action, {}, change);
  }

  /** The same for a change beside the server's own row. @param noted what else the audit entry tells */
  async saveWith(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    beside: () => Promise<void>,
    action: string,
    noted: object,
    change: object = {},
  ): Promise<ServerView> {
    const before = await this.views.one(tx, server);
    await beside();
    await tx
      .getRepository(Server)
      .update(
        { tenantId: caller.tenantId, id: server.id },
        { ...change, updatedAt: () => 'now()', version: () => 'version + 1' },
      );
    const after = await this.views.one(tx, await this.servers.visible(tx, caller, server.id));
    await this.audit.recordChange(tx, caller, {
      action,
      resourceType: RESOURCE,
      before,
      after: { ...after, ...noted },
    });
    return after;
  }

  /**
   * A host leaves a protected environment, and with it the need for approval, only by who could approve a run there.
   * @throws Problem 409 `grant_required`
   */
  private async demandRelease(tx: EntityManager, caller: Principal, server: Server): Promise<void> {
    const { tenantId, userId } = caller;
    const environmentRights = await this.environments.rightsIn(tx, tenantId, server.environmentId, [userId]);
    const rights = environmentRights?.of(userId);
    if (!environmentRights?.protected || (rights && mayApprove(rights))) return;
    throw conflict(
      'grant_required',
      `"${environmentRights.name}" is protected: to take "${server.name}" or its address away from there needs the grant "approve". Ask an admin for it.`,
    );
  }
}

function hostKeyOf(publicKey: string): HostKey {
  try {
    return parseHostKey(publicKey);
  } catch {
    throw invalidRequest([
      {
        path: '/hostKey/publicKey',
        code: 'invalid_host_key',
        message: 'publicKey must be a host public key line such as "ssh-ed25519 AAAA…".',
      },
    ]);
  }
}
