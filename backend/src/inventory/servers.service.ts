import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { isInVisibleEnvironment, NAMED_CALLER } from '../environments/visible-environment.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict } from '../common/errors/problem.js';
import { demandVersion } from '../common/http/if-match.js';
import { DEFAULT_LIMIT, likePattern, type Page } from '../common/http/paging/page.js';
import { ListOrder, NAMED_RECORD, readRows, type SortedEntity } from '../common/http/paging/sorted-page.js';
import { type Machine, machineOf, ServerMachines } from './machines/server-machines.js';
import { SERVER_USE, type ServerUse } from './ports/server-use.js';
import { matchesSelector } from './selectors/selector.js';
import { RESOURCE, ServerChanges } from './server-changes.js';
import { demandWholeOrigin } from './server-origin.js';
import { Server } from './server.entity.js';
import { ServerLookup, selectorOf } from './server-lookup.js';
import { ServerViews } from './server-views.js';
import type { CreateServerRequest, ListServersQuery, UpdateServerRequest } from './servers.dto.js';
import type { ServerView } from './servers.view.js';

/** How many servers are read at a time while a selector sifts them. */
const SIFT = 500;

@Injectable()
export class ServersService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly servers: ServerLookup,
    private readonly changes: ServerChanges,
    private readonly machines: ServerMachines,
    private readonly views: ServerViews,
    @Inject(SERVER_USE) private readonly use: ServerUse,
  ) {}

  list(caller: Principal, query: ListServersQuery): Promise<Page<ServerView>> {
    const selector = selectorOf(query.selector ?? '', '?selector');
    const limit = query.limit ?? DEFAULT_LIMIT;
    return this.units.run(caller.tenantId, async (tx) => {
      const order = new ListOrder(query, NAMED_RECORD, 'server');
      const found: SortedEntity<Server>[] = [];
      let place = order.place;
      for (;;) {
        const rows = await readRows(this.select(tx, caller, query), order, place, SIFT);
        found.push(...rows.filter(({ entity }) => matchesSelector(selector, entity)));
        if (found.length > limit || rows.length < SIFT) {
          const shown = await this.views.of(
            tx,
            found.map(({ entity }) => entity),
          );
          return order.page(found, limit, ({ entity }) => shown(entity));
        }
        place = order.placeAt(rows.at(-1));
      }
    });
  }

  get(caller: Principal, id: string): Promise<ServerView> {
    return this.units.run(caller.tenantId, async (tx) =>
      this.views.one(tx, await this.servers.visible(tx, caller, id)),
    );
  }

  create(caller: Principal, request: CreateServerRequest): Promise<ServerView> {
    demandWholeOrigin(request, null);
    const machine = machineOf(request);
    return this.machines.storing(
      caller.tenantId,
      () => machine,
      (tx) => this.changes.insert(tx, caller, request, machine),
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
        demandWholeOrigin(request, server);
        return this.changes.change(tx, caller, server, request, version, (changed) => {
          machine = changed;
        });
      },
    );
  }

  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.writable(tx, caller, id);
      const server = await this.servers.held(tx, caller, id);
      demandVersion(server, version);
      await this.changes.demandRelease(tx, caller, server);
      if ((await this.use.inOpenRuns(tx, caller.tenantId, [id])).size > 0)
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

  private select(tx: EntityManager, caller: Principal, query: ListServersQuery) {
    const select = tx
      .getRepository(Server)
      .createQueryBuilder('server')
      .where('server.tenantId = :tenantId', caller)
      .andWhere(isInVisibleEnvironment('server', NAMED_CALLER));
    if (query.name !== undefined) select.andWhere('lower(server.name) = lower(:exactName)', { exactName: query.name });
    if (query.q)
      select.andWhere('(server.name ilike :text or server.hostname ilike :text)', { text: likePattern(query.q) });
    if (query.environmentId !== undefined) select.andWhere('server.environmentId = :environmentId', query);
    return select;
  }
}
