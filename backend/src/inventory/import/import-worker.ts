import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import canonicalize from 'canonicalize';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { toDatabaseProblem, isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { type OtherServerItem, Problem } from '../../common/errors/problem.js';
import { type JobHandler, WorkerProvider } from '../../common/queue/job-handler.js';
import { type ImportServersJob, QUEUES } from '../../common/queue/queue-names.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { KeyVault } from '../../keys/key-vault.js';
import { filterHostKeys, getPinnedKeys, haveSamePins } from '../../transport/keys/pinned-key.js';
import { JumpPaths } from '../jump-paths.js';
import { HostApproval } from '../host-approval.js';
import { HostClaims, HostProvedElsewhereProblem } from '../machines/host-claims.js';
import {
  groupByClaimant,
  toHostClaim,
  formatCollisions,
  type HostClaim,
  toOtherServerItems,
  getNewPins,
} from '../machines/host-collisions.js';
import { ProtectedHosts, formatProtectedHost } from '../machines/protected-hosts.js';
import { SERVER_USE, type ServerUse } from '../ports/server-use.js';
import { ServerVariableVault } from '../variables/server-variable-vault.js';
import { ImportApplication } from './applying/apply-import.js';
import type { EntryRefusal, ImportEntry, PlannedEntry, StoredFault } from './orders/import-record.js';
import {
  type ClaimedImport,
  claimImport,
  endImport,
  readImportEntries,
  releaseHeldImport,
  storePlan,
  storeCreatedServers,
  storeProgress,
} from './orders/import-store.js';
import { loadKnownServers } from './planning/known-servers.js';
import { JUMP_SERVER_SUBJECT } from './planning/plan-jumps.js';
import { type ImportPlan, LEFT_OUT_SERVER_SUBJECT, planImport, type ServerWrite } from './planning/plan-import.js';
import { isReaddressed } from './planning/server-content.js';

const RECALCULATED_REASONS = [JUMP_SERVER_SUBJECT, LEFT_OUT_SERVER_SUBJECT];
/** Maximum number of plans for one import. Each new plan skips the servers that the previous plan could not import. */
const MAX_PLANNING_ROUNDS = 20;

@WorkerProvider()
@Injectable()
export class ImportWorker implements JobHandler<'import-servers'> {
  readonly queue = QUEUES.importServers;
  /** An import holds thousands of records in memory. */
  readonly concurrency = 1;
  /** An import is one transaction: another worker starts it again. */
  readonly drainMs = 0;
  private readonly log = new Logger('Import');

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    readonly environments: EnvironmentReader,
    readonly vault: ServerVariableVault,
    readonly approval: HostApproval,
    private readonly keys: KeyVault,
    private readonly protectedHosts: ProtectedHosts,
    private readonly claims: HostClaims,
    private readonly changes: ImportApplication,
    private readonly jumps: JumpPaths,
    @Inject(SERVER_USE) private readonly use: ServerUse,
  ) {}

  /** Rejects only while the database is unavailable. The queue then delivers the job again. */
  async handle({ tenantId, importId }: ImportServersJob): Promise<void> {
    const claimed = await this.units.run(tenantId, (tx) => claimImport(tx, tenantId, importId));
    if (!claimed) return;
    try {
      await this.units.run(tenantId, (tx) => this.executeImport(tx, claimed));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const problem = error instanceof Problem ? error : toDatabaseProblem(error);
      if (!problem) this.log.error(error instanceof Error ? error.stack : String(error));
      const fault = {
        line: null,
        entry: null,
        code: problem?.code ?? 'internal_error',
        message: problem?.detail ?? 'Internal error: the import changed nothing. See the server log.',
      };
      const others = error instanceof HostProvedElsewhereProblem ? error.servers : [];
      await this.units.run(tenantId, (tx) =>
        endImport(tx, tenantId, importId, { state: 'failed', faults: [fault], others }),
      );
    }
  }

  /** Applies the whole import in one transaction, or nothing. */
  private async executeImport(tx: EntityManager, order: ClaimedImport): Promise<void> {
    const { id, tenantId } = order;
    if (!(await releaseHeldImport(tx, id))) return;
    const caller = await this.loadCaller(tx, order);
    if (order.sshKeyId !== null) await this.keys.getVisibleKey(tx, caller, order.sshKeyId);
    const entries = await readImportEntries(tx, tenantId, id);
    const plan = await this.planRounds(tx, caller, order, entries);
    await storePlan(tx, tenantId, id, plan.planned);
    const digest = computePlanDigest(plan.planned);
    const faults = [...findDigestFault(order, digest), ...plan.faults];
    const counts = countActions(plan.planned);
    // The plan reports jump servers and skipped servers again, so the reports of the preview are dropped.
    const notCarried = [
      ...plan.notCarried,
      ...order.notCarried.filter(({ what }) => !RECALCULATED_REASONS.includes(what)),
    ];
    const found = { notCarried, counts, digest, processed: order.total, others: plan.others };
    if (faults.length > 0 || order.preview) {
      const state = faults.length > 0 ? 'failed' : 'succeeded';
      await endImport(tx, tenantId, id, { state, faults, ...found });
      return;
    }
    const stored = counts.create + counts.change + counts.disable;
    const reportProgress = (done: number) =>
      this.units.run(tenantId, (other) =>
        storeProgress(other, tenantId, id, Math.round((order.total * done) / Math.max(1, stored))),
      );
    await this.changes.applyPlan(tx, caller, plan, reportProgress);
    await this.claims.settleClaims(tx, caller, order.environmentId, toHostClaims(plan), order);
    await storeCreatedServers(
      tx,
      tenantId,
      id,
      plan.writes.filter(({ before }) => before === null),
    );
    if (counts.create + counts.change + counts.disable + counts.remove > 0)
      await this.audit.record(tx, caller, {
        action: 'inventory_import.finish',
        resourceId: id,
        resourceName: order.source ?? order.format,
        after: counts,
      });
    await endImport(tx, tenantId, id, { state: 'succeeded', ...found });
  }

  /** Returns the requester with the current role. @throws Problem 404; 403 `grant_required` */
  private async loadCaller(
    tx: EntityManager,
    { tenantId, environmentId, requester }: ClaimedImport,
  ): Promise<Principal> {
    const there = await this.environments.readRights(tx, tenantId, environmentId, [requester.userId]);
    const caller: Principal = {
      ...requester,
      heldBy: requester.heldBy ?? [],
      limits: requester.limits ?? null,
      role: there?.of(requester.userId)?.role ?? 'viewer',
    };
    await this.environments.requireRunnable(tx, caller, environmentId);
    return caller;
  }

  private async planRounds(
    tx: EntityManager,
    caller: Principal,
    order: ClaimedImport,
    entries: readonly ImportEntry[],
  ): Promise<ImportPlan & { others: readonly OtherServerItem[] }> {
    const { tenantId } = caller;
    const known = await loadKnownServers(tx, this, order, caller, entries, !order.preview);
    const removable = order.prune === 'remove' ? known.ofSource.map(({ id }) => id) : [];
    const open = await this.use.findServersInOpenRuns(tx, tenantId, removable);
    const jumps = await this.jumps.filterJumpServers(tx, tenantId, removable);
    const skipped = new Map<number, string>();
    const others: OtherServerItem[] = [];
    for (let round = 1; ; round += 1) {
      const plan = planImport(order, entries, known, { open, jumps }, skipped);
      const refused = [
        ...plan.refused,
        ...(await this.refuseKeysOfOtherEnvironments(tx, order, plan)),
        ...(await this.refuseClaimedHosts(tx, caller, order, plan)),
      ];
      others.push(...refused.flatMap((refusal) => refusal.others ?? []));
      // Plan again without the refused servers: one of them may have conflicted with another server or be its jump
      // server.
      if (order.skipFaulty && refused.length > 0 && round < MAX_PLANNING_ROUNDS)
        for (const { position, message } of refused) skipped.set(position, message);
      else return { ...plan, faults: [...refused.map(toEntryFault), ...plan.faults], others };
    }
  }

  private async refuseKeysOfOtherEnvironments(
    tx: EntityManager,
    order: ClaimedImport,
    { writes }: ImportPlan,
  ): Promise<EntryRefusal[]> {
    const pinned = writes.filter(
      ({ before, after }) =>
        !haveSamePins(before ? getPinnedKeys(before) : [], after.hostKeys) ||
        before?.environmentId !== after.environmentId,
    );
    const keysOf = ({ after }: ServerWrite) => filterHostKeys(after.hostKeys).map(({ fingerprint }) => fingerprint);
    const fingerprints = pinned.flatMap(keysOf);
    // A server that moves to this environment keeps its key.
    const changedIds = writes.map(({ id }) => id);
    const foreign = await this.protectedHosts.findKeysOfProtectedHosts(
      tx,
      order.tenantId,
      order.environmentId,
      fingerprints,
      changedIds,
    );
    return pinned
      .filter((write) => keysOf(write).some((fingerprint) => foreign.has(fingerprint)))
      .map(({ position, after }) => ({
        position,
        line: null,
        entry: after.name,
        code: 'protected_host',
        message: formatProtectedHost(`"${after.name}"`, 'host_key'),
      }));
  }

  private async refuseClaimedHosts(
    tx: EntityManager,
    caller: Principal,
    order: ClaimedImport,
    plan: ImportPlan,
  ): Promise<EntryRefusal[]> {
    const found = await this.claims.findRefusedClaims(tx, caller, order.environmentId, toHostClaims(plan), order);
    const byId = groupByClaimant(found);
    return plan.writes.flatMap(({ id, position, after }) => {
      const own = byId.get(id);
      if (!own) return [];
      const refusal = {
        line: null,
        entry: after.name,
        code: 'host_proved_elsewhere' as const,
        message: formatCollisions(own),
      };
      return [{ ...refusal, position, others: toOtherServerItems(own) }];
    });
  }
}

const toHostClaims = ({ writes }: ImportPlan): HostClaim[] =>
  writes.flatMap(({ id, before, after }) => {
    const moved = isReaddressed(before, after) || before?.environmentId !== after.environmentId;
    const keys = getNewPins(after.hostKeys, before && !moved ? getPinnedKeys(before) : []);
    if (!moved && keys.length === 0) return [];
    return [toHostClaim({ ...after, id, hostname: moved ? after.hostname : null }, keys)];
  });

const toEntryFault = ({ position: _, others: __, ...fault }: EntryRefusal): StoredFault => ({
  ...fault,
  message: `${fault.message} To import the other servers, leave out those that cannot be imported (skipFaulty).`,
});

const computePlanDigest = (planned: readonly PlannedEntry[]): string =>
  createHash('sha256')
    .update(
      canonicalize(
        planned.map(({ position, name, action, serverId, changes }) => [position, name, action, serverId, changes]),
      ) ?? '',
    )
    .digest('hex');

function findDigestFault({ expectedDigest }: ClaimedImport, digest: string): StoredFault[] {
  return expectedDigest === null || expectedDigest === digest
    ? []
    : [
        {
          line: null,
          entry: null,
          code: 'inventory_changed',
          message:
            'The inventory has changed since the preview, so the import would have another result. Request a new preview.',
        },
      ];
}

function countActions(planned: readonly PlannedEntry[]) {
  const counts = { create: 0, change: 0, leave: 0, disable: 0, remove: 0, keep: 0, skip: 0, refuse: 0 };
  for (const { action } of planned) counts[action] += 1;
  return counts;
}
