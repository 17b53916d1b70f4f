import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { conflict, invalidRequest } from '../../common/errors/problem.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { RunTargetsReader } from '../../inventory/run-targets.reader.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { RerunExecutionRequest } from '../execution.dto.js';
import type { ExecutionView } from '../execution.view.js';
import type { ExecutionRow, Snapshot } from '../execution-row.js';
import { ExecutionsReader } from '../executions.reader.js';
import { dropsOut } from '../lifecycle/outcome.js';
import { type ExecutionMode, type HostStatus, isFinished } from '../lifecycle/statuses.js';
import { RunSecrets } from '../run-secrets.js';
import { digestOf, type FrozenHost } from '../snapshot.js';
import { changedHosts } from './changed-hosts.js';
import { demandMode, type PreparedRun, PrepareRun } from './prepare-run.js';
import { StartExecution } from './start-execution.js';

type Parent = ExecutionRow & { snapshot: Snapshot; digest: string };
type ParentHost = FrozenHost & { status: HostStatus };

/** How many hosts a refusal names. */
const NAMED = 5;

/** Starts a finished run once more: all of it or a part (design: domain §4). Approval is asked again. */
@Injectable()
export class RerunExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly starts: StartExecution,
    private readonly preparation: PrepareRun,
    private readonly environments: EnvironmentReader,
    private readonly targets: RunTargetsReader,
    private readonly executions: ExecutionsReader,
    private readonly secrets: RunSecrets,
  ) {}

  /**
   * @throws Problem 400 for a step that there is not, 404; 409 `not_finished`, `no_failed_hosts`, and what a start throws
   */
  async rerun(caller: Principal, id: string, request: RerunExecutionRequest): Promise<ExecutionView> {
    const parent = await this.units.run(caller.tenantId, (tx) => this.executions.visible(tx, caller, id));
    if (!isFinished(parent.status))
      throw conflict('not_finished', `The run is ${parent.status}. Wait for its end or cancel it, then run it again.`);
    const mode = request.execution_mode ?? parent.execution_mode;
    return this.starts.startPrepared(caller, parent.plan_id, async (tx) => {
      const hosts = await this.hostsOf(tx, parent, request.hosts);
      const whole =
        request.snapshot === 'same'
          ? await this.same(tx, caller, parent, hosts, mode)
          : await this.current(tx, caller, parent, hosts, mode, request.hosts);
      const fromStep = stepIndex(whole, request.fromStepKey);
      const run = this.startingAt(whole, fromStep);
      return { run, acceptance: { mode, note: request.note ?? null, parentId: id, fromStep } };
    });
  }

  /** What the parent froze, on these of its hosts. @throws Problem 404; 409 `grant_required`, `mode_not_allowed`, `hosts_gone`, `hosts_changed`, `protected_host`, `duplicate_address` */
  async same(
    tx: EntityManager,
    caller: Principal,
    parent: Parent,
    hosts: readonly ParentHost[],
    mode: ExecutionMode,
  ): Promise<PreparedRun> {
    const environment = await this.environments.runnable(tx, caller, parent.environment_id);
    demandMode(environment.name, environment.allowedModes, mode);
    demandMode(parent.plan_name, parent.snapshot.plan.allowedModes, mode);
    const frozen = hosts.map(({ status: _, ...host }, ordinal): FrozenHost => ({ ...host, ordinal }));
    await this.demandStillThere(tx, caller.tenantId, environment, frozen);
    await this.preparation.demandOwnHosts(
      tx,
      caller.tenantId,
      environment.id,
      frozen.map(({ host_key: hostKey, ...host }) => ({ ...host, hostKey })),
    );
    const secrets = await this.secretsOf(tx, parent);
    // The parent may itself have left out steps.
    const { fromStepKey: _, ...snapshot } = parent.snapshot;
    return {
      planId: parent.plan_id,
      planName: parent.plan_name,
      planRevision: parent.plan_revision,
      environment,
      snapshot,
      hosts: frozen,
      secrets,
      digest: digestOf(snapshot, frozen, environment.id, this.secrets.fingerprints(secrets)),
    };
  }

  /** The run without the steps before this one: who approves it approves just that. */
  startingAt(run: PreparedRun, fromStep: number): PreparedRun {
    const key = run.snapshot.plan.steps[fromStep]?.key;
    if (fromStep === 0 || key === undefined) return run;
    const snapshot = { ...run.snapshot, fromStepKey: key };
    const secrets = this.secrets.fingerprints(run.secrets);
    return { ...run, snapshot, digest: digestOf(snapshot, run.hosts, run.environment.id, secrets) };
  }

  /** Hosts of a run with their standing there. */
  async hostsOf(tx: EntityManager, parent: Pick<Parent, 'id'>, which: 'all' | 'failed'): Promise<ParentHost[]> {
    const hosts = await tx.query<ParentHost[]>(
      `select server_id, ordinal, name, hostname, port, username, ssh_key_id, host_key, tags, status from execution_hosts
        where execution_id = $1 order by ordinal`,
      [parent.id],
    );
    if (which === 'all') return hosts;
    const failed = hosts.filter(({ status }) => dropsOut(status));
    if (failed.length === 0)
      throw conflict('no_failed_hosts', 'No host of the run failed. Run it again on all of its hosts.');
    return failed;
  }

  /**
   * Who may run in the environment may not run on what was taken out of it; and a key or an address that was replaced
   * since is trusted no more.
   * @throws Problem 409 `hosts_gone`, `hosts_changed`
   */
  private async demandStillThere(
    tx: EntityManager,
    tenantId: string,
    { id, name }: { id: string; name: string },
    hosts: readonly FrozenHost[],
  ): Promise<void> {
    const there = await this.targets.stillThere(
      tx,
      tenantId,
      id,
      hosts.map(({ server_id }) => server_id),
    );
    const gone = hosts.filter(({ server_id }) => !there.has(server_id));
    if (gone.length === 0) {
      const changed = changedHosts(
        hosts.flatMap((frozen) => {
          const now = there.get(frozen.server_id);
          return now ? [{ frozen, now }] : [];
        }),
      );
      if (changed) throw changed;
      return;
    }
    const shown = gone.slice(0, NAMED).map((host) => `"${host.name}"`);
    const more = gone.length > NAMED ? ` and ${gone.length - NAMED} more` : '';
    const are = gone.length === 1 ? 'is no enabled server' : 'are no enabled servers';
    throw conflict(
      'hosts_gone',
      `${shown.join(', ')}${more} ${are} of "${name}" any more. Put them back, or run it again with what there is now (snapshot: current).`,
    );
  }

  /** The plan, variables and servers as they are now, with the values that the parent's start gave. */
  private async current(
    tx: EntityManager,
    caller: Principal,
    parent: Parent,
    hosts: readonly ParentHost[],
    mode: ExecutionMode,
    which: 'all' | 'failed',
  ): Promise<PreparedRun> {
    const secrets = await this.secretsOf(tx, parent);
    const values: Record<string, VariableValue | undefined> = { ...parent.snapshot.variables, ...secrets };
    const given = (parent.snapshot.given ?? []).flatMap((name): [string, VariableValue][] => {
      const value = values[name];
      return value === undefined ? [] : [[name, value]];
    });
    return this.preparation.prepare(tx, caller, {
      planId: parent.plan_id,
      execution_mode: mode,
      environmentId: parent.environment_id,
      variables: Object.fromEntries(given),
      // The plan may declare them plain by now, but whoever gave them gave secrets.
      secretNames: given.map(([name]) => name).filter((name) => Object.hasOwn(secrets, name)),
      targets: parent.snapshot.targets,
      ...(which === 'failed' ? { only: new Set(hosts.map(({ server_id }) => server_id)) } : {}),
    });
  }

  private async secretsOf(tx: EntityManager, parent: Parent): Promise<Record<string, VariableValue>> {
    const [row] = await tx.query<{ sealed_secrets: Buffer | null }[]>(
      'select sealed_secrets from executions where id = $1',
      [parent.id],
    );
    return this.secrets.open({ tenantId: parent.tenant_id, executionId: parent.id }, row?.sealed_secrets ?? null);
  }
}

/** @throws Problem 400 */
export function stepIndex(run: PreparedRun, key: string | undefined): number {
  if (key === undefined) return 0;
  const keys = run.snapshot.plan.steps.map((step) => step.key);
  const index = keys.indexOf(key);
  if (index >= 0) return index;
  const message = `There is no step "${key}". The steps are ${keys.join(', ')}.`;
  throw invalidRequest([{ path: '/fromStepKey', code: 'unknown_step', message }], 'The run was not started.');
}
