import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../../common/database/sql.js';
import type { Principal } from '../../../common/access/principal.js';
import { conflict, invalidRequest, notFound } from '../../../common/errors/problem.js';
import { shortenText } from '../../../common/text/shorten.js';
import { isPlaceholder } from '../../../plans/steps/types/gate.step.js';
import type { VariableValue } from '../../../variables/variable-value.js';
import { EnvironmentReader } from '../../../environments/environment.reader.js';
import type { JumpServerLogin } from '../../../inventory/fields/server-connection.js';
import { JumpPaths } from '../../../inventory/jump-paths.js';
import { RunHosts } from '../../../inventory/machines/run-hosts.js';
import { RunTargetsReader } from '../../../inventory/run-targets.reader.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import type { RerunExecutionRequest } from '../../contract/execution.dto.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import type { ExecutionRow, Snapshot } from '../../record/execution-row.js';
import { ExecutionsReader } from '../../queries/executions.reader.js';
import { isDroppedStatus } from '../../lifecycle/outcome.js';
import { type ExecutionMode, type HostStatus, isFinished } from '../../lifecycle/statuses.js';
import { RunSecrets } from '../../record/run-secrets.js';
import { computeDigest, FROZEN_HOST_COLUMNS_SQL, type FrozenHost } from '../../record/snapshot.js';
import { findChangedHostsProblem } from './changed-hosts.js';
import { type CheckedRenderings, withCheckedRenderings } from './check-rendering.js';
import { type ContinuedStart, ContinueRun, requireNeededResults, type EarlierRun } from './continue-run.js';
import { requireMaskableFrozenSecrets } from './freezing/freeze-values.js';
import { requireAllowedMode } from './freezing/expanded-run.js';
import { type PreparedRun, PrepareRun, type RunRequest } from './prepare-run.js';
import { toRerunPreview } from './rerun-preview.js';
import type { RerunPreviewView } from '../../contract/rerun-preview.view.js';
import { requireOverrideRight, StartExecution } from './start-execution.js';
import { toWaitSettings } from './waiting.js';

type OriginalRun = ExecutionRow & { snapshot: Snapshot; digest: string };
type OriginalHost = FrozenHost & { status: HostStatus };

const MAX_NAMED_HOSTS = 5;

/**
 * Reruns a finished run, completely or only a part. A partial rerun inherits the results that it needs. Approval is
 * required again.
 */
@Injectable()
export class RerunExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly starts: StartExecution,
    private readonly preparation: PrepareRun,
    private readonly runHosts: RunHosts,
    private readonly environments: EnvironmentReader,
    private readonly targets: RunTargetsReader,
    private readonly jumps: JumpPaths,
    private readonly executions: ExecutionsReader,
    private readonly secrets: RunSecrets,
    private readonly continuing: ContinueRun,
  ) {}

  /**
   * @throws Problem 400 for a step or server that does not exist, 404; 409 `not_finished`, `no_failed_hosts`,
   *   `no_unfinished_hosts`, `missing_results`, `too_much_to_inherit`, and the errors of a start
   */
  async rerunExecution(caller: Principal, id: string, request: RerunExecutionRequest): Promise<ExecutionView> {
    requireOverrideRight(caller, request);
    // Reports errors that do not depend on the run before the run is read.
    toWaitSettings(request, request.execution_mode ?? 'auto');
    const parent = await this.units.run(caller.tenantId, (tx) => this.lockFinishedRun(tx, caller, id));
    return this.starts.startPrepared(caller, parent.plan_id, async (tx, checked) => {
      await requireKeptResults(tx, parent);
      const { start, fromStep } = await this.continueRun(tx, caller, parent, request, checked);
      if (request.acceptGaps !== true) requireNeededResults(start);
      const { run, passedOver, inherited } = start;
      const mode = request.execution_mode ?? parent.execution_mode;
      const { note = null, labels = parent.labels, freezeOverride = null, windowOverride = null } = request;
      const { acceptAuthors = null } = request;
      const waiting = toWaitSettings(request, mode);
      const acceptance = {
        ...{ mode, note, labels, waiting, freezeOverride, windowOverride, acceptAuthors, schedule: null },
        ...{ parentId: id, fromStep, passedOver, inherited },
      };
      return { run, acceptance };
    });
  }

  /**
   * Describes the rerun without starting it. @throws Problem as `rerunExecution`, except `missing_results` and overlap errors
   */
  previewRerun(caller: Principal, id: string, request: RerunExecutionRequest): Promise<RerunPreviewView> {
    return withCheckedRenderings(caller.tenantId, (checked) =>
      this.units.run(caller.tenantId, async (tx) => {
        const parent = await this.lockFinishedRun(tx, caller, id);
        const { start, before, fromStep } = await this.continueRun(tx, caller, parent, request, checked);
        return toRerunPreview(start, before.hosts, fromStep);
      }),
    );
  }

  /**
   * Reruns on one host from a step on, with the frozen content. @throws Problem as `rerunExecution`, except `missing_results`
   */
  async prepareRerunOnHost(
    tx: EntityManager,
    caller: Principal,
    parent: OriginalRun,
    { serverId, fromStep }: { serverId: string; fromStep: number },
  ): Promise<Pick<ContinuedStart, 'run' | 'passedOver' | 'inherited'>> {
    const all = await loadOriginalHosts(tx, parent);
    const before = await this.loadEarlierRun(tx, parent, all);
    const hosts = all.filter((host) => host.server_id === serverId);
    const run = await this.prepareSameRun(tx, caller, parent, hosts, parent.execution_mode);
    return this.continuing.continueRun(tx, before, run, { fromStep, resumes: false });
  }

  private async lockFinishedRun(tx: EntityManager, caller: Principal, id: string): Promise<OriginalRun> {
    const parent = await this.executions.getVisibleRun(tx, caller, id);
    if (isFinished(parent.status)) return parent;
    // A run whose environment was deleted is visible only to admins, who need no grant.
    if (caller.role !== 'admin') await this.environments.requireRunnable(tx, caller, parent.environment_id);
    throw conflict('not_finished', `The run is ${parent.status}. Wait for its end or cancel it, then rerun it.`);
  }

  private async continueRun(
    tx: EntityManager,
    caller: Principal,
    parent: OriginalRun,
    request: RerunExecutionRequest,
    checked: CheckedRenderings,
  ): Promise<{ start: ContinuedStart; before: EarlierRun; fromStep: number }> {
    const mode = request.execution_mode ?? parent.execution_mode;
    const all = await loadOriginalHosts(tx, parent);
    const before = await this.loadEarlierRun(tx, parent, all);
    const hosts = this.selectHosts(all, before, request);
    const prepared =
      request.snapshot === 'same'
        ? await this.prepareSameRun(tx, caller, parent, hosts, mode)
        : await this.prepareCurrentRun(tx, caller, parent, hosts, {
            mode,
            everyHost: request.hosts === 'all' && request.serverIds === undefined,
            checked,
          });
    const fromStep = getStepIndex(prepared, request.fromStepKey);
    requireRemainingWork(prepared, fromStep);
    const resumes = request.hosts === 'unfinished' && request.fromStepKey === undefined;
    return {
      start: await this.continuing.continueRun(tx, before, prepared, { fromStep, resumes }),
      before,
      fromStep,
    };
  }

  private async loadEarlierRun(
    tx: EntityManager,
    parent: OriginalRun,
    hosts: readonly OriginalHost[],
  ): Promise<EarlierRun> {
    const frozen = hosts.map(({ status: _, ...host }): FrozenHost => host);
    const secrets = this.secrets.computeFingerprints(await this.openSecrets(tx, parent));
    return this.continuing.loadEarlierRun(tx, parent, frozen, secrets);
  }

  /** @throws Problem 409 `no_failed_hosts`, `no_unfinished_hosts` */
  private selectHosts(
    all: readonly OriginalHost[],
    before: EarlierRun,
    { hosts: which, serverIds }: Pick<RerunExecutionRequest, 'hosts' | 'serverIds'>,
  ): readonly OriginalHost[] {
    requireHosts(all, serverIds);
    const named = serverIds && new Set(serverIds);
    const candidates = named ? all.filter(({ server_id }) => named.has(server_id)) : all;
    if (which === 'all') return candidates;
    const unfinishedHosts = which === 'unfinished' ? this.continuing.findUnfinishedHosts(before) : new Set<string>();
    const chosen = candidates.filter(
      ({ server_id, status }) => isDroppedStatus(status) || unfinishedHosts.has(server_id),
    );
    if (chosen.length > 0) return chosen;
    const hosts = named ? 'of these hosts' : 'of the hosts of the run';
    if (which === 'failed') throw conflict('no_failed_hosts', `None ${hosts} failed. Rerun with hosts: all.`);
    throw conflict('no_unfinished_hosts', `All ${hosts} have finished all of their steps. Rerun with hosts: all.`);
  }

  /**
   * Prepares the parent's frozen content on these of its hosts. @throws Problem 404; 403 `grant_required`; 409
   * `mode_not_allowed`, `hosts_gone`, `hosts_changed`, `protected_host`, `duplicate_address`, `same_host_key`
   */
  private async prepareSameRun(
    tx: EntityManager,
    caller: Principal,
    parent: OriginalRun,
    hosts: readonly OriginalHost[],
    mode: ExecutionMode,
  ): Promise<PreparedRun> {
    const { environment, othersProtected } = await this.environments.requireStartable(
      tx,
      caller,
      parent.environment_id,
    );
    requireAllowedMode(environment.name, environment.allowedModes, mode);
    requireAllowedMode(parent.plan_name, parent.snapshot.plan.allowedModes, mode);
    const frozen = hosts.map(({ status: _, ...host }, ordinal): FrozenHost => ({ ...host, ordinal }));
    const jumps = new Map(Object.entries(parent.snapshot.jumpServers ?? {}));
    await this.requirePresentHosts(tx, caller.tenantId, environment, frozen, jumps);
    await this.runHosts.requireRunnable(
      tx,
      caller,
      environment.id,
      frozen.map(({ host_key: hostKey, more_host_keys: moreHostKeys, ...host }) => ({
        ...host,
        id: host.server_id,
        hostKey,
        moreHostKeys,
      })),
      { dry: mode === 'dry_run', othersProtected },
    );
    const secrets = await this.openSecrets(tx, parent);
    requireMaskableFrozenSecrets(Object.entries(secrets));
    // Dropped, because the parent may itself be a partial rerun with a later first step and inherited results.
    const { fromStepKey: _, inherited: __, ...snapshot } = parent.snapshot;
    return {
      planId: parent.plan_id,
      planName: parent.plan_name,
      planRevision: parent.plan_revision,
      environment,
      snapshot,
      hosts: frozen,
      secrets,
      digest: computeDigest(snapshot, frozen, environment.id, this.secrets.computeFingerprints(secrets)),
    };
  }

  /**
   * Requires that the hosts are still in the environment and unchanged. A grant does not cover servers that left the
   * environment. Replaced keys and addresses are no longer trusted.
   * @throws Problem 409 `hosts_gone`, `hosts_changed`
   */
  private async requirePresentHosts(
    tx: EntityManager,
    tenantId: string,
    { id, name }: { id: string; name: string },
    hosts: readonly FrozenHost[],
    jumps: ReadonlyMap<string, JumpServerLogin>,
  ): Promise<void> {
    const presentIds = await this.targets.findPresentServers(
      tx,
      tenantId,
      id,
      hosts.map(({ server_id }) => server_id),
    );
    const missingHosts = hosts.filter(({ server_id }) => !presentIds.has(server_id));
    if (missingHosts.length === 0) {
      const changed = findChangedHostsProblem(
        hosts.flatMap((frozen) => {
          const now = presentIds.get(frozen.server_id);
          return now ? [{ frozen, now }] : [];
        }),
        { before: jumps, now: await this.jumps.findJumpServers(tx, tenantId, id, [...jumps.keys()]) },
      );
      if (changed) throw changed;
      return;
    }
    const names = missingHosts.slice(0, MAX_NAMED_HOSTS).map((host) => `"${host.name}"`);
    const more = missingHosts.length > MAX_NAMED_HOSTS ? ` and ${missingHosts.length - MAX_NAMED_HOSTS} more` : '';
    const are = missingHosts.length === 1 ? 'is no longer an enabled server' : 'are no longer enabled servers';
    throw conflict(
      'hosts_gone',
      `${names.join(', ')}${more} ${are} of "${name}". Restore them, or rerun with snapshot: current.`,
    );
  }

  /** Prepares the current plan, variables and servers with the values that the parent was started with. */
  private async prepareCurrentRun(
    tx: EntityManager,
    caller: Principal,
    parent: OriginalRun,
    hosts: readonly OriginalHost[],
    { mode, everyHost, checked }: { mode: ExecutionMode; everyHost: boolean; checked: CheckedRenderings },
  ): Promise<PreparedRun> {
    const secrets = await this.openSecrets(tx, parent);
    const values: Record<string, VariableValue | undefined> = { ...parent.snapshot.variables, ...secrets };
    const earlierValues = (parent.snapshot.given ?? []).flatMap((name): [string, VariableValue][] => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    });
    const request: RunRequest = {
      planId: parent.plan_id,
      execution_mode: mode,
      environmentId: parent.environment_id,
      variables: Object.fromEntries(earlierValues),
      // Values that the parent got as secrets stay secret, even if the plan now declares them plain.
      secretNames: earlierValues.map(([name]) => name).filter((name) => Object.hasOwn(secrets, name)),
      targets: parent.snapshot.targets,
      ...(everyHost ? {} : { only: new Set(hosts.map(({ server_id }) => server_id)) }),
    };
    return this.preparation.prepareRun(tx, caller, request, checked);
  }

  private async openSecrets(tx: EntityManager, parent: OriginalRun): Promise<Record<string, VariableValue>> {
    const stored = await row(
      tx,
      sql<{ sealed_secrets: Buffer | null }>`select sealed_secrets from executions where id = ${parent.id}`,
    );
    return this.secrets.openSecrets(
      { tenantId: parent.tenant_id, executionId: parent.id },
      stored?.sealed_secrets ?? null,
    );
  }
}

const loadOriginalHosts = (tx: EntityManager, parent: Pick<OriginalRun, 'id'>): Promise<OriginalHost[]> =>
  rows(
    tx,
    sql<OriginalHost>`
      select ${FROZEN_HOST_COLUMNS_SQL}, status from execution_hosts where execution_id = ${parent.id} order by ordinal`,
  );

/** @throws Problem 400 for a server that is not in the run */
function requireHosts(hosts: readonly OriginalHost[], serverIds: readonly string[] = []): void {
  const known = new Set(hosts.map(({ server_id }) => server_id));
  const index = serverIds.findIndex((serverId) => !known.has(serverId));
  if (index < 0) return;
  const message = `The run has no host with the server ID "${shortenText(serverIds[index] ?? '')}". Name only servers of the run.`;
  throw invalidRequest([{ path: `/serverIds/${index}`, code: 'unknown_server', message }], 'The run was not started.');
}

/** @throws Problem 400 */
function getStepIndex(run: PreparedRun, key: string | undefined): number {
  if (key === undefined) return 0;
  const keys = run.snapshot.plan.steps.map((step) => step.key);
  const index = keys.indexOf(key);
  if (index >= 0) return index;
  const message = `The plan has no step "${key}". Its steps are ${keys.join(', ')}.`;
  throw invalidRequest([{ path: '/fromStepKey', code: 'unknown_step', message }], 'The run was not started.');
}

/** @throws Problem 400 when the run would begin after a placeholder step, whose work is missing in the plan */
function requireRemainingWork({ snapshot }: PreparedRun, fromStep: number): void {
  const left = snapshot.plan.steps.slice(0, fromStep).find(isPlaceholder);
  if (!left) return;
  const message = `Step "${left.key}" is a placeholder for work that the plan lacks. Begin at or before it, or complete the plan and start it again.`;
  throw invalidRequest([{ path: '/fromStepKey', code: 'left_out_placeholder', message }], 'The run was not started.');
}

/** Locks the parent run against deletion while the rerun needs it. @throws Problem 404 */
async function requireKeptResults(tx: EntityManager, { tenant_id, id }: OriginalRun): Promise<void> {
  const found = await row(
    tx,
    sql`select 1 from executions where tenant_id = ${tenant_id} and id = ${id} for key share`,
  );
  if (!found) throw notFound();
}
