import { Inject, Injectable, Logger } from '@nestjs/common';
import { In } from 'typeorm';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { type WorkerPart, WorkerProvider } from '../../common/queue/job-handler.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { KeyVault } from '../../keys/key-vault.js';
import { getPinnedKeys } from '../../transport/keys/pinned-key.js';
import { waitAtMost } from '../../transport/listening-time.js';
import { Server } from '../fields/server.entity.js';
import { claimDueChecks, releaseChecks, findTenantsWithDueChecks } from './due-checks.js';
import { ServerHops } from './server-hops.js';
import { type ServerContactData, type ContactFinding, ServerContacts } from './server-contact.js';
import { ServerObservations, type ServerObservation } from './server-observations.js';

const IDLE_POLL_MS = 2_000;
const GRACE_MS = 3_000;
/** Maximum delay before findings are stored, in ms. */
const STORE_INTERVAL_MS = 1_000;
const CHECKS_PER_STORE = 500;

type ClaimedCheck = Omit<ServerContactData, 'publicKey'>;

/**
 * Checks servers that are due, by the interval of their environment or because a member requested checks. Several
 * workers share the servers: each worker claims a few exclusively. Findings are observations, as in a run: they create
 * no version and no audit entry.
 */
@WorkerProvider()
@Injectable()
export class CheckWorker implements WorkerPart {
  private readonly log = new Logger('Checks');
  private readonly slots: number;
  private waiting: ClaimedCheck[] = [];
  private found: { tenantId: string; sighting: ServerObservation }[] = [];
  private readonly heldServers = new Set<Server>();
  private readonly checking = new Set<Promise<void>>();
  /** Tenant that was served last. The next turn starts with the tenant after it. */
  private latest = '';
  private pollPromise: Promise<void> | null = null;
  private lookTimer: NodeJS.Timeout | null = null;
  private storeTimer: NodeJS.Timeout | null = null;
  private storePromise: Promise<void> = Promise.resolve();
  private stopped = true;

  constructor(
    private readonly units: UnitOfWork,
    private readonly keys: KeyVault,
    private readonly contacts: ServerContacts,
    private readonly sightings: ServerObservations,
    private readonly hops: ServerHops,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    this.slots = runtime.settings.checkSlots;
  }

  start(): void {
    this.stopped = false;
    this.poll();
  }

  /** Claims no more servers and waits briefly for running checks. Leaves all other servers to other workers. */
  async drain(): Promise<void> {
    this.stopped = true;
    if (this.lookTimer) clearTimeout(this.lookTimer);
    await this.pollPromise;
    this.waiting = [];
    await waitAtMost(GRACE_MS, Promise.allSettled([...this.checking]));
    await this.storeObservations();
    const left = groupByTenant([...this.heldServers], ({ tenantId }) => tenantId);
    for (const [tenantId, servers] of left) {
      const ids = servers.map(({ id }) => id);
      await this.units.run(tenantId, (tx) => releaseChecks(tx, tenantId, ids)).catch(() => undefined);
    }
  }

  private poll(): void {
    if (this.lookTimer) clearTimeout(this.lookTimer);
    this.lookTimer = null;
    if (this.stopped || this.pollPromise) return;
    this.pollPromise = this.claimDueChecksOfTenants()
      .catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) this.log.warn(`Finding servers to check failed: ${String(error)}`);
        return 0;
      })
      .then((taken) => {
        this.pollPromise = null;
        this.startWaitingChecks();
        if (this.stopped) return;
        // While checks are running, the end of any check starts the next poll.
        if (taken === 0 || this.checking.size === 0) this.lookTimer = setTimeout(() => this.poll(), IDLE_POLL_MS);
      });
  }

  /**
   * Claims servers of all tenants in turn, so that a tenant with thousands of servers gets only its share of the slots.
   */
  private async claimDueChecksOfTenants(): Promise<number> {
    const tenants = await this.units.runWithoutTenant(findTenantsWithDueChecks);
    const after = tenants.filter((id) => id > this.latest);
    const turns = [...after, ...tenants.filter((id) => id <= this.latest)];
    const open = groupByTenant([...this.heldServers], ({ tenantId }) => tenantId);
    const share = Math.max(1, Math.floor(this.slots / new Set([...tenants, ...open.keys()]).size));
    let taken = 0;
    for (const tenantId of turns) {
      const freeSlots = 2 * this.slots - this.waiting.length - this.checking.size;
      if (freeSlots <= 0 || this.stopped) break;
      const limit = Math.min(freeSlots, 2 * share - (open.get(tenantId)?.length ?? 0));
      if (limit <= 0) continue;
      const claimed = await this.claimChecksOfTenant(tenantId, limit);
      this.latest = tenantId;
      for (const { server } of claimed) this.heldServers.add(server);
      this.waiting.push(...claimed);
      taken += claimed.length;
    }
    this.waiting = interleaveTenants(this.waiting);
    return taken;
  }

  private claimChecksOfTenant(tenantId: string, limit: number): Promise<ClaimedCheck[]> {
    return this.units.run(tenantId, async (tx) => {
      const ids = await claimDueChecks(tx, tenantId, limit);
      if (ids.length === 0) return [];
      const servers = await tx.getRepository(Server).findBy({ tenantId, id: In(ids) });
      const keyIds = servers.filter((server) => getPinnedKeys(server).length > 0).map(({ sshKeyId }) => sshKeyId);
      const opened = await this.keys.openPrivateKeys(tx, tenantId, [...new Set(keyIds)].sort());
      const claimed: ClaimedCheck[] = [];
      for (const server of servers) {
        const key = getPinnedKeys(server).length === 0 ? null : (opened.get(server.sshKeyId) ?? null);
        claimed.push({ server, key, hops: await this.hops.findHopsTo(tx, server) });
      }
      return claimed;
    });
  }

  private startWaitingChecks(): void {
    while (!this.stopped && this.checking.size < this.slots) {
      const claimed = this.waiting.shift();
      if (!claimed) break;
      const check = this.checkServer(claimed).finally(() => {
        this.checking.delete(check);
        this.heldServers.delete(claimed.server);
        this.startWaitingChecks();
        if (this.waiting.length < this.slots / 2) this.poll();
      });
      this.checking.add(check);
    }
  }

  private async checkServer(claimed: ClaimedCheck): Promise<void> {
    try {
      this.addObservation(claimed.server, await this.contacts.contactHost(claimed));
    } catch (error) {
      // The server is checked again after its lease has expired.
      if (!isDatabaseUnavailable(error)) this.log.warn(`Checking a server failed: ${String(error)}`);
    }
  }

  private addObservation(server: Server, finding: ContactFinding): void {
    const { id: serverId, hostname, port, tenantId } = server;
    const pinned = getPinnedKeys(server);
    const { state, message, reachedAddress, latencyMs, seen, facts, proved } = finding;
    const check = { at: new Date().toISOString(), state, message, source: 'schedule' as const };
    const sighting = { serverId, hostname, port, pinned, check, reachedAddress, latencyMs, seen, facts, proved };
    this.found.push({ tenantId, sighting });
    if (this.found.length >= CHECKS_PER_STORE) void this.storeObservations();
    this.storeTimer ??= setTimeout(() => void this.storeObservations(), STORE_INTERVAL_MS);
  }

  /** Never rejects. Findings that cannot be stored now are found again after the leases have expired. */
  private storeObservations(): Promise<void> {
    if (this.storeTimer) clearTimeout(this.storeTimer);
    this.storeTimer = null;
    const found = groupByTenant(this.found, ({ tenantId }) => tenantId);
    this.found = [];
    this.storePromise = this.storePromise.then(async () => {
      for (const [tenantId, some] of found) {
        const sightings = some.map(({ sighting }) => sighting);
        await this.sightings.storeAll(tenantId, sightings).catch((error: unknown) => {
          this.log.warn(`Storing the results of ${sightings.length} checks failed: ${String(error)}`);
        });
      }
    });
    return this.storePromise;
  }
}

function groupByTenant<T>(all: readonly T[], tenantOf: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const group = groups.get(tenantOf(each));
    if (group) group.push(each);
    else groups.set(tenantOf(each), [each]);
  }
  return groups;
}

/** Orders the servers: the first of each tenant, then the second of each, and so on. */
function interleaveTenants(claimed: readonly ClaimedCheck[]): ClaimedCheck[] {
  const lists = [...groupByTenant(claimed, ({ server }) => server.tenantId).values()];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list[turn] ?? [])).flat();
}
