import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, Problem, type ProblemExtras } from '../../common/errors/problem.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { toVisibleServers } from '../../environments/visible-servers.js';
import { loadEnvironmentAllowances } from '../environment-allowances.js';
import { findDuplicateAddresses, duplicateAddressProblem, isDuplicateMachineError } from '../machines/run-hosts.js';
import { JumpPaths } from '../jump-paths.js';
import { requireAdminToConfirm, HostClaims } from '../machines/host-claims.js';
import { ProtectedHosts } from '../machines/protected-hosts.js';
import { findChangedHostColumns } from '../fields/server-fields.js';
import { SETTING_NAMES, SERVER_SETTINGS } from '../fields/server-settings.js';
import { formatOpenRuns } from '../ports/open-runs-text.js';
import { SERVER_USE, type ServerUse } from '../ports/server-use.js';
import { HostApproval, type ServerGuards } from '../host-approval.js';
import { splitIntoBatches, ServerBatches } from '../server-batches.js';
import { BulkSelection } from './bulk-selection.js';
import type { BulkServersRequest } from './bulk-servers.dto.js';
import { type BulkServersView, toBulkServersView } from './bulk-servers.view.js';
import { requireCompleteBulkRequest } from './bulk-order.js';
import {
  isMovedToEnvironment,
  type PlannedServer,
  planServerChange,
  toRefusedServer,
  refuseCollisions,
  refuseDuplicateAddresses,
  refuseKeysOfOtherEnvironments,
  type SelectedServer,
} from './plan-bulk.js';

const NO_SERVER_GUARDS: ReadonlyMap<string, ServerGuards> = new Map();
const MAX_NAMED_SERVERS = 20;

/** Changes or deletes many servers in one request. All rules of a single change apply. */
@Injectable()
export class BulkServers {
  constructor(
    private readonly units: UnitOfWork,
    private readonly environments: EnvironmentReader,
    private readonly selection: BulkSelection,
    private readonly servers: ServerBatches,
    private readonly protectedHosts: ProtectedHosts,
    private readonly claims: HostClaims,
    private readonly approval: HostApproval,
    private readonly jumps: JumpPaths,
    @Inject(SERVER_USE) private readonly use: ServerUse,
  ) {}

  /**
   * Changes all servers in one transaction. If one is refused, changes none, unless `partial` is set.
   * @throws Problem 400; 403 `grant_required`; 404; 409 `count_changed`, `servers_refused`, `too_many_servers`,
   *   `duplicate_address`; 429 `too_many_at_once`
   */
  async changeServers(caller: Principal, request: BulkServersRequest, preview: boolean): Promise<BulkServersView> {
    requireAdminToConfirm(caller, request.confirmHosts);
    requireCompleteBulkRequest(request, preview);
    try {
      return await this.units.run(caller.tenantId, (tx) => this.planAndStore(tx, caller, request, preview));
    } catch (error) {
      // Another request has registered the machine there, or moved it there, since the lookup.
      if (isDuplicateMachineError(error)) throw duplicateAddressProblem(null);
      throw error;
    }
  }

  private async planAndStore(
    tx: EntityManager,
    caller: Principal,
    request: BulkServersRequest,
    preview: boolean,
  ): Promise<BulkServersView> {
    if (!preview) await lockBulkChanges(tx, caller);
    const { environmentId, expectedCount, partial = false } = request;
    const target =
      environmentId === undefined
        ? null
        : await this.environments.findVisibleEnvironment(tx, caller, environmentId, '/environmentId');
    const selected = await this.selection.findServers(tx, caller, request, !preview);
    if (target) await this.environments.requireOwnRunRight(tx, caller, target);
    if (expectedCount !== undefined && expectedCount !== selected.length)
      throw conflict(
        'count_changed',
        `${selected.length.toLocaleString('en')} servers match now, not ${expectedCount.toLocaleString('en')}. Review them again.`,
      );
    // Uses the ID as stored, because the body may spell it in another case.
    const order = { ...request, environmentId: target?.id };
    const planned = await this.planServers(tx, caller, order, selected);
    const refusals = planned.filter(({ refusal }) => refusal !== null);
    const others = refusals.flatMap(({ refusal }) => refusal?.others ?? []);
    const visibleOthers = await toVisibleServers(this.environments, tx, caller, others);
    if (!preview && !partial && refusals.length > 0)
      throw toServersRefusedProblem(refusals, planned.length, visibleOthers);
    if (!preview) await this.storeChanges(tx, caller, order, planned);
    return toBulkServersView(planned, preview, visibleOthers);
  }

  private async planServers(
    tx: EntityManager,
    caller: Principal,
    order: BulkServersRequest,
    selected: readonly SelectedServer[],
  ): Promise<PlannedServer[]> {
    const { tenantId } = caller;
    const { environmentId } = order;
    const affectedEnvironmentIds = [
      ...selected.map((server) => server.environmentId),
      ...(environmentId ? [environmentId] : []),
    ];
    const allowed = await loadEnvironmentAllowances(tx, this.environments, caller, affectedEnvironmentIds);
    const needsGuards =
      order.action === 'delete' || environmentId !== undefined || findChangedHostColumns({}, order).length > 0;
    let planned: PlannedServer[] = [];
    for (const some of splitIntoBatches(selected)) {
      const guards = needsGuards
        ? await this.approval.loadGuards(
            tx,
            caller,
            some.map(({ id }) => id),
          )
        : NO_SERVER_GUARDS;
      planned.push(...some.map((server) => planServerChange(order, server, allowed, guards)));
      await yieldToEventLoop();
    }
    if (order.action === 'delete') planned = await this.refuseUsedServers(tx, caller, planned);
    if (environmentId === undefined) return planned;
    const duplicates = new Map<string, string>();
    for (const some of splitIntoBatches(planned.filter((each) => isMovedToEnvironment(order, each))))
      for (const [id, name] of await findDuplicateAddresses(
        tx,
        tenantId,
        environmentId,
        some.map(({ server }) => server),
      ))
        duplicates.set(id, name);
    planned = refuseDuplicateAddresses(order, planned, duplicates);
    const moved = planned.filter((each) => isMovedToEnvironment(order, each)).map(({ server }) => server);
    const foreign = await this.protectedHosts.findKeysOfProtectedHosts(
      tx,
      tenantId,
      environmentId,
      [...new Set(moved.flatMap(({ fingerprints }) => fingerprints))],
      moved.map(({ id }) => id),
    );
    planned = refuseKeysOfOtherEnvironments(order, planned, foreign);
    const movingServers = planned.filter((each) => isMovedToEnvironment(order, each)).map(({ server }) => server);
    return refuseCollisions(
      planned,
      await this.claims.findRefusedClaims(tx, caller, environmentId, movingServers, order),
    );
  }

  private async refuseUsedServers(
    tx: EntityManager,
    caller: Principal,
    planned: readonly PlannedServer[],
  ): Promise<PlannedServer[]> {
    const ids = planned.filter(({ outcome }) => outcome === 'delete').map(({ server }) => server.id);
    const open = await this.use.findOpenRunsOn(tx, caller, ids);
    const jumps = await this.jumps.filterJumpServers(tx, caller.tenantId, ids);
    return planned.map((each) => {
      if (each.outcome !== 'delete') return each;
      const runs = open.get(each.server.id);
      if (runs) return toRefusedServer(each, 'in_use', formatOpenRuns('it', runs));
      if (jumps.has(each.server.id))
        return toRefusedServer(
          each,
          'in_use',
          'Other servers use it as their jump server. Choose another jump server for them first.',
        );
      return each;
    });
  }

  private async storeChanges(
    tx: EntityManager,
    caller: Principal,
    order: BulkServersRequest,
    planned: readonly PlannedServer[],
  ): Promise<void> {
    const { tenantId } = caller;
    const affectedEnvironmentIds = planned.filter(({ outcome }) => outcome === 'change' || outcome === 'delete');
    if (affectedEnvironmentIds.length === 0) return;
    for (const some of splitIntoBatches(affectedEnvironmentIds)) {
      const ids = some.map(({ server }) => server.id);
      const before = await this.servers.readServers(tx, tenantId, ids);
      if (order.action === 'delete') {
        await this.servers.removeServers(tx, caller, [...before.values()]);
        continue;
      }
      await updateServers(tx, tenantId, order, some);
      const moved = some.filter((each) => isMovedToEnvironment(order, each)).map(({ server }) => server);
      if (order.environmentId !== undefined)
        await this.claims.settleClaims(tx, caller, order.environmentId, moved, order);
      await this.servers.recordAudit(
        tx,
        caller,
        ids.map((id) => ({ id, before: before.get(id) ?? null })),
      );
    }
  }
}

const yieldToEventLoop = () => new Promise<void>((done) => setImmediate(done));

/**
 * Allows one bulk change at a time per tenant: each occupies a connection and locks thousands of servers for seconds.
 */
async function lockBulkChanges(tx: EntityManager, { tenantId }: Principal): Promise<void> {
  const lock = await row(
    tx,
    sql<{
      held: boolean;
    }>`select pg_try_advisory_xact_lock(hashtextextended(${`bulk servers ${tenantId}`}, 0)) as held`,
  );
  if (lock?.held) return;
  throw new Problem(
    'too_many_at_once',
    'Another bulk change of servers is running. Nothing was changed; try again in a few seconds.',
    { headers: { 'Retry-After': '3' } },
  );
}

function toServersRefusedProblem(refusals: readonly PlannedServer[], matched: number, others: ProblemExtras): Problem {
  const first = refusals
    .slice(0, 3)
    .map(({ server }) => `"${server.name}"`)
    .join(', ');
  const more = refusals.length > 3 ? ` and ${(refusals.length - 3).toLocaleString('en')} more` : '';
  return conflict(
    'servers_refused',
    `Nothing was changed: ${refusals.length.toLocaleString('en')} of ${matched.toLocaleString('en')} servers cannot be changed like this (${first}${more}). Exclude them, or send \`partial\` to change the remaining servers.`,
    {
      ...others,
      refusals: refusals.slice(0, MAX_NAMED_SERVERS).map(({ server, refusal }) => ({
        serverId: server.id,
        name: server.name,
        reason: { code: refusal?.code ?? 'in_use', text: refusal?.message ?? '' },
      })),
      moreRefusals: Math.max(0, refusals.length - MAX_NAMED_SERVERS),
    },
  );
}

async function updateServers(
  tx: EntityManager,
  tenantId: string,
  order: BulkServersRequest,
  planned: readonly PlannedServer[],
): Promise<void> {
  const tagged = planned.map(({ server, tags }) => ({ id: server.id, tags }));
  const { environmentId, enabled } = order;
  const settings = SETTING_NAMES.map((setting) => {
    const column = sql.raw(SERVER_SETTINGS[setting].column);
    const type = sql.raw(SERVER_SETTINGS[setting].type);
    return sql`${column} = case when ${order[setting] !== undefined}::boolean
      then ${order[setting] ?? null}::${type} else s.${column} end`;
  });
  const environment = sql`coalesce(${environmentId ?? null}::uuid, s.environment_id)`;
  await affected(
    tx,
    sql`update servers s set tags = x.tags, enabled = coalesce(${enabled ?? null}::boolean, s.enabled),
        disabled_by_import = case when ${enabled ?? null}::boolean is null then s.disabled_by_import else false end,
        environment_id = ${environment},
        ${sql.join(settings)},
        known_double = s.known_double and s.environment_id = ${environment},
        updated_at = now(), version = s.version + 1
      from jsonb_to_recordset(${JSON.stringify(tagged)}::jsonb) as x (id uuid, tags jsonb)
      where s.tenant_id = ${tenantId} and s.id = x.id`,
  );
}
