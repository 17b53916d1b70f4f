import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { requireAdminToConfirm } from './machines/host-claims.js';
import { type ServerMachine, toServerMachine, ServerMachines } from './machines/server-machines.js';
import { JumpPaths } from './jump-paths.js';
import { formatOpenRuns } from './ports/open-runs-text.js';
import { SERVER_USE, type ServerUse } from './ports/server-use.js';
import { HostApproval } from './host-approval.js';
import { ServerChanges } from './server-changes.js';
import { requireCompleteOrigin } from './fields/server-origin.js';
import { Server } from './fields/server.entity.js';
import { ServerLookup } from './server-lookup.js';
import { ServerViews } from './server-views.js';
import type { CreateServerRequest, UpdateServerRequest } from './servers.dto.js';
import type { ServerView } from './servers.view.js';

@Injectable()
export class ServersService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly servers: ServerLookup,
    private readonly changes: ServerChanges,
    private readonly machines: ServerMachines,
    private readonly approval: HostApproval,
    private readonly views: ServerViews,
    private readonly jumps: JumpPaths,
    @Inject(SERVER_USE) private readonly use: ServerUse,
  ) {}

  get(caller: Principal, id: string): Promise<ServerView> {
    return this.units.run(caller.tenantId, async (tx) =>
      this.views.loadView(tx, await this.servers.getVisible(tx, caller, id)),
    );
  }

  create(caller: Principal, request: CreateServerRequest): Promise<ServerView> {
    requireAdminToConfirm(caller, request.confirmHosts);
    requireCompleteOrigin(request, null);
    const machine = toServerMachine(request);
    return this.machines.storeMachine(
      caller.tenantId,
      () => machine,
      (tx) => this.changes.insertServer(tx, caller, request, machine),
    );
  }

  /**
   * A different hostname, port or jump server clears the pinned host keys: a pin is valid only at the address where it
   * was seen.
   */
  async update(
    caller: Principal,
    id: string,
    request: UpdateServerRequest,
    version: number | null,
  ): Promise<ServerView> {
    requireAdminToConfirm(caller, request.confirmHosts);
    let machine: ServerMachine | null = null;
    return this.machines.storeMachine(
      caller.tenantId,
      () => machine,
      async (tx) => {
        const server = await this.servers.getLocked(tx, caller, id);
        requireCompleteOrigin(request, server);
        return this.changes.changeServer(tx, caller, server, request, version, (changed) => {
          machine = changed;
        });
      },
    );
  }

  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.requireWritable(tx, caller, id);
      const server = await this.servers.getLocked(tx, caller, id);
      requireVersion(server, version);
      await this.approval.requireDeletionRight(tx, caller, server);
      await this.requireNotJumpServer(tx, caller, server);
      const runs = (await this.use.findOpenRunsOn(tx, caller, [server.id])).get(server.id);
      if (runs)
        throw conflict('in_use', formatOpenRuns(`"${server.name}"`, runs), {
          referrers: runs.seen.map((run) => ({ type: 'execution', id: run.id, name: run.planName })),
          ...(runs.hidden > 0 ? { hiddenReferrers: runs.hidden } : {}),
        });
      await tx.getRepository(Server).delete({ tenantId: caller.tenantId, id });
      await this.audit.recordChange(tx, caller, {
        action: 'server.delete',
        before: (await this.views.loadAuditedServers(tx, [server]))(server),
      });
    });
  }

  /** @throws Problem 409 `in_use` with the servers that use this one as jump server */
  private async requireNotJumpServer(tx: EntityManager, caller: Principal, { id, name }: Server): Promise<void> {
    const { seen, count } = await this.jumps.findServersBehind(tx, caller, id);
    if (count === 0) return;
    throw conflict(
      'in_use',
      `${count} server(s) are reached through "${name}". Set another jump server for them first.`,
      {
        referrers: seen.map((server) => ({ type: 'server', ...server })),
      },
    );
  }
}
