import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { notFound } from '../../common/errors/problem.js';
import { type PinnedKey, getPinnedKeys, haveSamePins } from '../../transport/keys/pinned-key.js';
import { getPinsAfterChange, listKnownKeys, parseRequestedPins } from '../fields/requested-pins.js';
import { requireAdminToConfirm } from '../machines/host-claims.js';
import { type ServerMachine, toServerMachine, ServerMachines } from '../machines/server-machines.js';
import { type ServerChange, ServerChanges } from '../server-changes.js';
import { ServerLookup } from '../server-lookup.js';
import { requireValidOrigin } from '../fields/server-origin.js';
import { Server } from '../fields/server.entity.js';
import { requirePlainVariables, ExternalVariables } from './external-variables.js';
import { resolveJumpServer } from './named-jump-server.js';
import { ServerViews } from '../server-views.js';
import type { UpsertServerRequest } from '../servers.dto.js';
import type { ServerView } from '../servers.view.js';

interface UpsertedServer {
  created: boolean;
  server: ServerView;
}

@Injectable()
export class ServerUpsert {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
    private readonly changes: ServerChanges,
    private readonly machines: ServerMachines,
    private readonly views: ServerViews,
    private readonly variables: ExternalVariables,
  ) {}

  /**
   * Registers the server with this external ID, or changes fields that differ. If nothing differs, nothing is written
   * or audited.
   * @throws Problem 400, 404; 409 as for creating and changing a server
   */
  async upsertServer(
    caller: Principal,
    source: string,
    externalId: string,
    asked: UpsertServerRequest,
  ): Promise<UpsertedServer> {
    requireAdminToConfirm(caller, asked.confirmHosts);
    requireValidOrigin(source, externalId);
    requirePlainVariables(asked.variables);
    let machine: ServerMachine = toServerMachine(asked);
    return this.machines.storeMachine(
      caller.tenantId,
      () => machine,
      async (tx) => {
        const request = await resolveJumpServer(tx, caller, source, asked);
        const known =
          (await this.find(tx, caller, source, externalId)) ??
          (await this.lockExternalId(tx, caller, source, externalId).then(() =>
            this.find(tx, caller, source, externalId),
          ));
        if (known) {
          const pinned = parseRequestedPins(asked, listKnownKeys(known));
          const server = await this.update(tx, caller, known, request, pinned, (changed) => {
            machine = changed;
          });
          await this.variables.replaceVariables(tx, caller, server, request.variables);
          return { created: false, server };
        }
        const { variables, ...fields } = request;
        const requestedServer = { ...fields, externalSource: source, externalId };
        const server = await this.changes.insertServer(tx, caller, requestedServer, toServerMachine(request));
        await this.variables.replaceVariables(tx, caller, server, variables);
        return { created: true, server };
      },
    );
  }

  /** @throws Problem 400, 404 */
  get(caller: Principal, source: string, externalId: string): Promise<ServerView> {
    requireValidOrigin(source, externalId);
    return this.units.run(caller.tenantId, async (tx) => {
      const known = await this.findKnownServer(tx, caller, source, externalId);
      if (!known) throw notFound();
      return this.views.loadView(tx, await this.servers.getVisible(tx, caller, known.id));
    });
  }

  /** Serialises concurrent registrations of one external ID: a later one finds the new server. */
  private async lockExternalId(
    tx: EntityManager,
    { tenantId }: Principal,
    source: string,
    externalId: string,
  ): Promise<void> {
    const lock = `server ${tenantId} ${source} ${externalId}`;
    await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
  }

  /**
   * Locks the server until the transaction ends.
   * @throws Problem 404 if it exists but is hidden from the caller
   */
  private async find(tx: EntityManager, caller: Principal, source: string, externalId: string): Promise<Server | null> {
    const known = await this.findKnownServer(tx, caller, source, externalId);
    return known && this.servers.getLocked(tx, caller, known.id);
  }

  private findKnownServer(tx: EntityManager, { tenantId }: Principal, source: string, externalId: string) {
    return tx.getRepository(Server).findOneBy({ tenantId, externalSource: source, externalId });
  }

  private async update(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    request: Omit<UpsertServerRequest, 'jumpServer'>,
    pinned: readonly PinnedKey[] | undefined,
    changing: (machine: ServerMachine) => void,
  ): Promise<ServerView> {
    const change = getDifferences(server, request, pinned);
    if (Object.keys(change).length > 0) return this.changes.changeServer(tx, caller, server, change, null, changing);
    await this.servers.requireWritable(tx, caller, server.id);
    return this.views.loadView(tx, server);
  }
}

/** Returns the requested fields whose values differ from the server's. Absent fields count as unchanged. */
function getDifferences(
  server: Server,
  { hostKey, hostKeys: _, variables: __, confirmHosts, ...requestedServer }: Omit<UpsertServerRequest, 'jumpServer'>,
  pinned?: readonly PinnedKey[],
): ServerChange {
  const fields = Object.entries(requestedServer).filter(
    ([name, value]) => value !== undefined && !isSameValue(server[name as keyof Server], value),
  );
  const change = Object.fromEntries(fields) as ServerChange;
  if (!pinned) return Object.keys(change).length > 0 ? { ...change, confirmHosts } : change;
  const hasNewAddress = ['hostname', 'port', 'jumpServerId'].some((name) => name in change);
  const before = hasNewAddress ? [] : getPinnedKeys(server);
  const after = getPinsAfterChange(before, pinned, hostKey !== undefined);
  const whole = { ...change, ...(haveSamePins(before, after) ? {} : { pinned: after }) };
  return Object.keys(whole).length > 0 ? { ...whole, confirmHosts } : whole;
}

function isSameValue(before: unknown, after: unknown): boolean {
  if (before === null || typeof before !== 'object' || after === null || typeof after !== 'object')
    return before === after;
  const [one, other] = [before, after] as Record<string, unknown>[];
  const names = Object.keys(one ?? {});
  return (
    names.length === Object.keys(other ?? {}).length && names.every((name) => isSameValue(one?.[name], other?.[name]))
  );
}
