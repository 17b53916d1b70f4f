import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { conflict, invalidRequest } from '../../../common/errors/problem.js';
import type { VariableValue } from '../../../variables/variable-value.js';
import type { Environment } from '../../../environments/environment.entity.js';
import { EnvironmentReader } from '../../../environments/environment.reader.js';
import { type EnvironmentVariableValues, VariableVault } from '../../../environments/variables/variable-vault.js';
import { JumpPaths } from '../../../inventory/jump-paths.js';
import type { UsableFact } from '../../../inventory/facts/host-facts.js';
import { RunHosts } from '../../../inventory/machines/run-hosts.js';
import { MAX_TARGETS, RunTargetsReader, type TargetServer } from '../../../inventory/run-targets.reader.js';
import { matchesSelector, parseSelector, type Selector } from '../../../inventory/selectors/selector.js';
import type { JumpServerLogin } from '../../../inventory/fields/server-connection.js';
import { parseSelectorAt } from '../../../inventory/server-lookup.js';
import { MAX_RUN_VARIABLE_BYTES } from '../../../inventory/variables/server-variable-limits.js';
import { ServerVariableVault } from '../../../inventory/variables/server-variable-vault.js';
import { KeyVault } from '../../../keys/key-vault.js';
import type { PlanContent } from '../../../plans/steps/plan-content.js';
import { listContents } from '../../../plans/plan-library.js';
import { CalledPlans } from '../../../plans/called-plans.js';
import { RunPlanReader } from '../../../plans/records/run-plan.reader.js';
import { StepRenderer } from '../../../plans/rendering/step-renderer.js';
import type { Snapshot } from '../../record/execution-row.js';
import type { ExecutionMode } from '../../lifecycle/statuses.js';
import type { RunContent } from '../../record/run-content.js';
import { RunSecrets } from '../../record/run-secrets.js';
import { computeDigest, type FrozenHost, freezeHost } from '../../record/snapshot.js';
import { type CheckedRenderings, toRenderingRequest } from './check-rendering.js';
import { requireCallablePlans, expandRun, requireAllowedMode } from './freezing/expanded-run.js';
import {
  requireKnownFacts,
  listFactsToFreeze,
  toSelectableServer,
  requireMaskableSecrets,
  type FrozenValues,
  freezeValues,
} from './freezing/freeze-values.js';
import { FreezeLibrary } from './freezing/freeze-library.js';

export interface RunRequest {
  planId: string;
  execution_mode: ExecutionMode;
  variables?: Record<string, VariableValue>;
  secretNames?: readonly string[];
  environmentId?: string;
  targets?: string;
  /** IDs of the only servers to run on; absent: all that match. */
  only?: ReadonlySet<string>;
}

export interface PreparedRun {
  planId: string;
  planName: string;
  planRevision: number;
  environment: Environment;
  snapshot: Snapshot;
  hosts: FrozenHost[];
  secrets: Record<string, VariableValue>;
  digest: string;
}

@Injectable()
export class PrepareRun {
  constructor(
    private readonly plans: RunPlanReader,
    private readonly calls: CalledPlans,
    private readonly environments: EnvironmentReader,
    private readonly variables: VariableVault,
    private readonly serverVariables: ServerVariableVault,
    private readonly targets: RunTargetsReader,
    private readonly runHosts: RunHosts,
    private readonly jumps: JumpPaths,
    private readonly keys: KeyVault,
    private readonly secrets: RunSecrets,
    private readonly library: FreezeLibrary,
    private readonly renderer: StepRenderer,
  ) {}

  /**
   * @throws ContentsNotReadError, NotRenderedError when content was not read from git or not rendered before
   * @throws Problem 400 for an invalid value or selector; 404 for a plan or environment that the caller can't see; 403
   *   `grant_required`; 409 `called_plan_missing`, `circular_call`, `list_not_usable`, `too_many_steps`,
   *   `mode_not_allowed`, `library_too_large`, `variables_too_large`, `no_targets`, `too_many_targets`,
   *   `protected_host`, `duplicate_address`, `same_host_key`, `facts_missing`
   */
  async prepareRun(
    tx: EntityManager,
    caller: Principal,
    request: RunRequest,
    checked: CheckedRenderings,
  ): Promise<PreparedRun> {
    const targetSelector = parseSelectorAt(request.targets ?? '', '/targets');
    const { plan, content } = await this.plans.readLatest(tx, caller, request.planId, '/planId');
    const environmentId = request.environmentId ?? plan.environmentId;
    if (environmentId === null) {
      const message = 'The plan has no default environment. Send environmentId.';
      throw invalidRequest([{ path: '/environmentId', code: 'required', message }]);
    }
    const selectors = [parseSelector(content.targets), targetSelector];
    // The queries share a round trip to the database. Their results are checked in this order.
    const queries = {
      // Also answers 404 for the plan's own environment when the caller can't see it.
      environment: ignoreEarlyRejection(
        this.environments.requireStartable(tx, caller, environmentId, '/environmentId'),
      ),
      values: ignoreEarlyRejection(this.variables.readValuesForRun(tx, caller.tenantId, environmentId)),
      servers: hasNoReferences(content)
        ? ignoreEarlyRejection(
            this.findTargetServers(
              tx,
              caller,
              environmentId,
              selectors,
              listFactsToFreeze([content], undefined, request.targets),
            ),
          )
        : null,
    };
    const { environment, othersProtected } = await queries.environment;
    requireAllowedMode(environment.name, environment.allowedModes, request.execution_mode);
    requireAllowedMode(plan.name, content.allowedModes, request.execution_mode);
    const startValues = await queries.values;
    const called = await this.calls.listReachedPlans(tx, caller, plan, content);
    requireCallablePlans([...called.values()], request.execution_mode);
    const contents = [content, ...[...called.values()].map((each) => each.content)];
    const written = { steps: contents.flatMap(({ steps }) => steps) };
    const library = await this.library.freezeLibrary(tx, caller.tenantId, written, checked.contents);
    const facts = listFactsToFreeze(contents, library, request.targets);
    const found = await (queries.servers ?? this.findTargetServers(tx, caller, environment.id, selectors, facts));
    const { only } = request;
    const servers = only ? found.filter(({ id }) => only.has(id)) : found;
    const dry = request.execution_mode === 'dry_run';
    const further = {
      own: ignoreEarlyRejection(
        this.runHosts.requireRunnable(tx, caller, environment.id, servers, { dry, othersProtected }),
      ),
      ways: ignoreEarlyRejection(this.loadJumpPaths(tx, caller.tenantId, environment.id, servers)),
    };
    const frozen = await this.freezeRunValues(tx, caller.tenantId, {
      content,
      request,
      environment: startValues,
      servers,
    });
    const run = expandRun({ content, called, request, frozen, environment: startValues, hosts: servers.length });
    requireMaskableSecrets([...frozen.secretOrigins, ...run.reportedSecrets]);
    const hosts = servers.map((server, ordinal) => ({
      ...freezeHost(server, ordinal, facts),
      ...frozen.own.get(server.id),
    }));
    const renderer = this.renderer.createStepRendering({ tenantId: caller.tenantId, asks: 'request' });
    const secrets = { ...frozen.secrets, ...run.secrets };
    const { scopes } = run.calls;
    const values = { variables: frozen.variables, secrets };
    checked.requireRendered(
      toRenderingRequest({ content: run.content, library, renderer, frozen: values, scopes, hosts }),
    );
    requireTargets(environment, run.content, { servers, facts });
    await further.own;
    if (facts.length > 0) requireKnownFacts(run.content, library, servers, facts);
    const snapshot: Snapshot = { ...toSnapshot(run.content, request, frozen), ...run.calls };
    if (library) snapshot.library = library;
    const { jumps, sshKeys } = await further.ways;
    if (jumps.size > 0) snapshot.jumpServers = Object.fromEntries(jumps);
    snapshot.sshKeys = sshKeys;
    return {
      planId: plan.id,
      planName: plan.name,
      planRevision: plan.revision,
      environment,
      snapshot,
      hosts,
      secrets,
      digest: computeDigest(snapshot, hosts, environment.id, this.secrets.computeFingerprints(secrets)),
    };
  }

  private findTargetServers(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    selectors: readonly Selector[],
    facts: readonly UsableFact[],
  ): Promise<TargetServer[]> {
    return this.targets.resolveTargets(tx, caller, environmentId, selectors, facts.length > 0);
  }

  private async loadJumpPaths(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    servers: readonly TargetServer[],
  ): Promise<{ jumps: Map<string, JumpServerLogin>; sshKeys: Record<string, string> }> {
    const jumpServerIds = servers.flatMap(({ jumpServerId }) => jumpServerId ?? []);
    const jumps = await this.jumps.findJumpServers(tx, tenantId, environmentId, jumpServerIds);
    const keys = new Set([...servers, ...jumps.values()].map(({ sshKeyId }) => sshKeyId));
    return { jumps, sshKeys: await this.keys.readFingerprints(tx, tenantId, [...keys]) };
  }

  /** Computes the values of each host. @throws Problem 400; 409 `variables_too_large` */
  private async freezeRunValues(
    tx: EntityManager,
    tenantId: string,
    startValues: {
      content: PlanContent;
      request: RunRequest;
      environment: EnvironmentVariableValues;
      servers: readonly TargetServer[];
    },
  ): Promise<FrozenValues> {
    const { content, request, environment, servers } = startValues;
    const ids = servers.map(({ id }) => id);
    const bytes = await this.serverVariables.countBytes(tx, tenantId, ids);
    if (bytes > MAX_RUN_VARIABLE_BYTES) {
      throw conflict(
        'variables_too_large',
        `The variables of the ${servers.length} servers have ${bytes} bytes in total; a run can have at most ${MAX_RUN_VARIABLE_BYTES}. Start on fewer servers, or move common values to the environment.`,
      );
    }
    const { frozen, problems } = await freezeValues(
      {
        definitions: content.variables,
        environment,
        servers: bytes === 0 ? new Map() : await this.serverVariables.openForRun(tx, tenantId, ids),
        start: { values: request.variables ?? {}, secretNames: request.secretNames },
      },
      servers,
    );
    if (problems.length > 0) throw invalidRequest(problems, 'The run was not started.');
    return frozen;
  }
}

/** @throws Problem 409 `no_targets`, `too_many_targets` */
function requireTargets(
  environment: Environment,
  content: RunContent,
  { servers, facts }: { servers: readonly TargetServer[]; facts: readonly UsableFact[] },
): void {
  if (servers.length === 0) {
    throw conflict(
      'no_targets',
      `No enabled server of "${environment.name}" matches the targets. Check the servers' tags and the selectors.`,
    );
  }
  const selectors = [...new Set(content.steps.map(({ targets }) => targets))].map(parseSelector);
  if (
    !servers.some((server) =>
      selectors.some((selector) => matchesSelector(selector, toSelectableServer(server, facts))),
    )
  ) {
    throw conflict(
      'no_targets',
      "No step of the plan has a host among the targets, so the run would do nothing. Check the steps' selectors.",
    );
  }
  if (servers.length > MAX_TARGETS) {
    throw conflict('too_many_targets', `More than ${MAX_TARGETS} servers match. Narrow the targets.`);
  }
}

function hasNoReferences({ steps }: PlanContent): boolean {
  const { scripts, templates } = listContents(steps);
  return steps.every(({ type }) => type !== 'plan') && scripts.length + templates.length === 0;
}

/** Prevents an unhandled rejection of a promise that is awaited after others, which may fail first. */
function ignoreEarlyRejection<T>(queries: Promise<T>): Promise<T> {
  queries.catch(() => undefined);
  return queries;
}

const toSnapshot = (content: RunContent, request: RunRequest, frozen: FrozenValues): Snapshot => ({
  plan: content,
  variables: frozen.variables,
  secretNames: frozen.secretNames,
  secretVersions: frozen.secretVersions,
  valueSources: frozen.sources,
  targets: request.targets ?? '',
  given: Object.keys(request.variables ?? {}).sort(),
});
