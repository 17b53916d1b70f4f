import { createHash, createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { seal } from '../../common/crypto/envelope.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest } from '../../common/errors/problem.js';
import { newId } from '../../common/ids.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import type { Environment } from '../../environments/environment.entity.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { type EnvironmentValues, VariableVault } from '../../environments/variable-vault.js';
import { MOST_TARGETS, RunTargetsReader } from '../../inventory/run-targets.reader.js';
import { matchesSelector, parseSelector } from '../../inventory/selector.js';
import type { Server } from '../../inventory/server.entity.js';
import { selectorOf } from '../../inventory/server-lookup.js';
import type { PlanContent } from '../../plans/plan-content.js';
import { RunPlanReader } from '../../plans/run-plan.reader.js';
import { type ResolvedVariable, resolveVariables } from '../../plans/variables/resolve-variables.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import type { StartExecutionRequest } from '../execution.dto.js';
import type { ExecutionView } from '../execution.view.js';
import type { Snapshot } from '../execution-row.js';
import { ExecutionsReader } from '../executions.reader.js';
import { guardKeysOf } from '../lifecycle/overlap.js';
import type { ExecutionMode } from '../lifecycle/statuses.js';
import { appendEvents } from '../output/run-events.js';
import { secretsContext } from '../run-secrets.js';
import { checkRendering } from './check-rendering.js';
import { OverlapReport } from './overlap-report.js';

/** The guard's keys were taken by another run in the meantime. */
class GuardHeld extends Error {}

/** How often a start is tried anew when the run that was in its way has just ended. */
const TRIES = 3;

interface Accepted {
  planName: string;
  planId: string;
  planRevision: number;
  environmentId: string;
  environmentName: string;
  content: PlanContent;
  servers: Server[];
  /** The plan's variables, and what the environment exports beside them. */
  variables: Frozen[];
}

type Frozen = Pick<ResolvedVariable, 'name' | 'value' | 'secret'>;

/**
 * Accepts a run: run, frozen snapshot with its digest, guard keys, first audit entry and the doorbell are one
 * transaction (design: engine.md, Accept).
 */
@Injectable()
export class StartExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
    private readonly plans: RunPlanReader,
    private readonly environments: EnvironmentReader,
    private readonly variables: VariableVault,
    private readonly targets: RunTargetsReader,
    private readonly executions: ExecutionsReader,
    private readonly overlaps: OverlapReport,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /**
   * @throws Problem 400 for a value or selector that does not fit, 404 for a plan or environment that the caller
   *   can't see, 409 `grant_required`, `approval_not_available`, `mode_not_allowed`, `no_targets`, or `run_overlap` with
   *   what is in the way
   */
  async start(caller: Principal, request: StartExecutionRequest): Promise<ExecutionView> {
    for (let attempt = 1; ; attempt += 1) {
      let wanted: string[] = [];
      try {
        return await this.units.run(caller.tenantId, async (tx) => {
          const accepted = await this.prepare(tx, caller, request);
          wanted = guardKeysOf({
            planId: accepted.planId,
            environmentId: accepted.environmentId,
            hosts: accepted.servers,
          });
          const id = newId();
          await this.insert(tx, caller, request, accepted, id);
          await this.takeKeys(tx, caller.tenantId, id, wanted);
          await this.queue.ringAdvanceRun(tx, { tenantId: caller.tenantId, executionId: id });
          return this.executions.getIn(tx, caller, id);
        });
      } catch (error) {
        if (!(error instanceof GuardHeld)) throw error;
        // Null: the run that was in the way has ended meanwhile.
        const refusal = await this.overlaps.refuse(caller, request.planId, wanted, attempt === TRIES);
        if (refusal) throw refusal;
      }
    }
  }

  private async prepare(tx: EntityManager, caller: Principal, request: StartExecutionRequest): Promise<Accepted> {
    const narrowed = selectorOf(request.targets ?? '', '/targets');
    const plan = await this.plans.visible(tx, caller, request.planId, '/planId');
    const environmentId = request.environmentId ?? plan.environmentId;
    if (environmentId === null) {
      const message = 'The plan has no environment of its own. Name one in environmentId.';
      throw invalidRequest([{ path: '/environmentId', code: 'required', message }]);
    }
    // The plan's own environment too is "not found" for whoever can't see it.
    const environment = await this.environments.runnable(tx, caller, environmentId, '/environmentId');
    demandEntry(environment, request.execution_mode);
    const content = await this.plans.content(tx, plan);
    const given = await this.variables.forRun(tx, caller.tenantId, environment.id);
    const { values, problems } = resolveVariables({
      definitions: content.variables,
      layers: [
        { source: 'environment', ...given },
        { source: 'start', values: request.variables ?? {} },
      ],
    });
    if (problems.length > 0) throw invalidRequest(problems, 'The run was not started.');
    checkRendering(content, values);
    const servers = await this.targets.resolve(tx, caller, environment.id, [parseSelector(content.targets), narrowed]);
    if (servers.length === 0) {
      throw conflict(
        'no_targets',
        `No enabled server of "${environment.name}" matches the targets. Look at the servers' tags and the selectors.`,
      );
    }
    const selectors = content.steps.map((step) => parseSelector(step.targets));
    if (!servers.some((server) => selectors.some((selector) => matchesSelector(selector, server)))) {
      throw conflict(
        'no_targets',
        "No step of the plan has a host among the targets, so the run would do nothing. Look at the steps' selectors.",
      );
    }
    if (servers.length > MOST_TARGETS) {
      throw conflict('too_many_targets', `More than ${MOST_TARGETS} servers match. Narrow the targets.`);
    }
    return {
      planId: plan.id,
      planName: plan.name,
      planRevision: plan.revision,
      environmentId: environment.id,
      environmentName: environment.name,
      content,
      servers,
      variables: [...values, ...exportsBeside(content, given)],
    };
  }

  private async insert(
    tx: EntityManager,
    caller: Principal,
    request: StartExecutionRequest,
    accepted: Accepted,
    id: string,
  ): Promise<void> {
    const { snapshot, secrets } = freeze(accepted, request.targets ?? '');
    const hosts = accepted.servers.map((server, ordinal) => hostColumns(server, ordinal));
    const digest = createHash('sha256')
      .update(
        canonicalize({ snapshot, hosts, environmentId: accepted.environmentId, secrets: this.fingerprints(secrets) }) ??
          '',
      )
      .digest('hex');
    const sealed =
      Object.keys(secrets).length > 0
        ? seal(this.runtime.masterKey, Buffer.from(JSON.stringify(secrets)), secretsContext(caller.tenantId, id))
        : null;
    await tx.query(
      `insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status,
          execution_mode, note, snapshot, digest, sealed_secrets, started_by, started_by_name, started_via, token_prefix,
          host_count, deadline_at)
        values ($1, $2, $3, $4, $5, $6, $7, 'PENDING', $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
          now() + make_interval(secs => $18))`,
      [
        id,
        caller.tenantId,
        accepted.planId,
        accepted.planRevision,
        accepted.planName,
        accepted.environmentId,
        accepted.environmentName,
        request.execution_mode,
        request.note ?? null,
        snapshot,
        digest,
        sealed,
        caller.userId,
        caller.name,
        caller.via,
        caller.tokenPrefix,
        hosts.length,
        accepted.content.timeoutSeconds,
      ],
    );
    await tx.query(
      `insert into execution_hosts (tenant_id, execution_id, server_id, ordinal, name, hostname, port, username, ssh_key_id, host_key, tags)
        select $1, $2, x.server_id, x.ordinal, x.name, x.hostname, x.port, x.username, x.ssh_key_id, x.host_key, x.tags
        from jsonb_to_recordset($3::jsonb) as x (server_id uuid, ordinal int, name text, hostname text, port int, username text,
          ssh_key_id uuid, host_key jsonb, tags jsonb)`,
      [caller.tenantId, id, JSON.stringify(hosts)],
    );
    await tx.query(
      `insert into execution_steps (tenant_id, execution_id, step_index, key, name, type, status)
        select $1, $2, n - 1, key, name, type, 'PENDING' from unnest($3::text[], $4::text[], $5::text[]) with ordinality as x (key, name, type, n)`,
      [
        caller.tenantId,
        id,
        accepted.content.steps.map((step) => step.key),
        accepted.content.steps.map((step) => step.name),
        accepted.content.steps.map((step) => step.type),
      ],
    );
    await appendEvents(tx, { tenantId: caller.tenantId, executionId: id }, [
      { type: 'execution.status_changed', data: { status: 'PENDING', previous: null, reason: null } },
    ]);
    await this.audit.record(tx, caller, {
      action: 'execution.start',
      resourceType: 'execution',
      resourceId: id,
      resourceName: accepted.planName,
      after: {
        status: 'PENDING',
        planId: accepted.planId,
        planRevision: accepted.planRevision,
        environmentId: accepted.environmentId,
        execution_mode: request.execution_mode,
        hosts: hosts.length,
        digest,
        secrets: snapshot.secretNames,
        note: request.note ?? null,
      },
    });
  }

  /** Secrets take part in the digest by a keyed hash: nobody can guess a short one from it. */
  private fingerprints(secrets: Record<string, VariableValue>): Record<string, string> {
    const hmac = (value: VariableValue) =>
      createHmac('sha256', this.runtime.masterKey.key).update(JSON.stringify(value)).digest('hex');
    return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, hmac(value)]));
  }

  private async takeKeys(tx: EntityManager, tenantId: string, id: string, keys: string[]): Promise<void> {
    const taken = await tx.query<unknown[]>(
      `insert into guard_keys (tenant_id, key, execution_id)
        select $1, key, $2 from unnest($3::text[]) as key order by key on conflict do nothing returning key`,
      [tenantId, id, keys],
    );
    if (taken.length < keys.length) throw new GuardHeld();
  }
}

/** Whether the environment's policy lets a run in. @throws Problem 409 */
function demandEntry(environment: Environment, mode: ExecutionMode): void {
  if (environment.protected) {
    // Nothing can approve a run yet, and a run in a protected environment must never start unapproved (spec, rule 5):
    // until a run can wait for approval, none is accepted here at all.
    throw conflict(
      'approval_not_available',
      `"${environment.name}" is protected: runs need approval there, and this version can't ask for it yet. Choose another environment.`,
    );
  }
  if (environment.allowedModes.length > 0 && !environment.allowedModes.includes(mode)) {
    throw conflict(
      'mode_not_allowed',
      `"${environment.name}" allows the modes ${environment.allowedModes.join(', ')} only.`,
    );
  }
}

/** Variables of the environment that the plan does not declare: no template can use them, but every command gets them. */
function exportsBeside(content: PlanContent, { values, secretNames }: EnvironmentValues): Frozen[] {
  const declared = new Set(content.variables.map(({ name }) => name));
  return Object.entries(values)
    .filter(([name]) => !declared.has(name))
    .map(([name, value]) => ({ name, value, secret: secretNames.includes(name) }));
}

const hostColumns = (server: Server, ordinal: number) => ({
  server_id: server.id,
  ordinal,
  name: server.name,
  hostname: server.hostname,
  port: server.port,
  username: server.username,
  ssh_key_id: server.sshKeyId,
  host_key: server.hostKey,
  tags: server.tags,
});

/** Splits what the run freezes into what may be shown and what may not. */
function freeze(accepted: Accepted, targets: string): { snapshot: Snapshot; secrets: Record<string, VariableValue> } {
  const variables: Record<string, VariableValue> = {};
  const secrets: Record<string, VariableValue> = {};
  for (const { name, value, secret } of accepted.variables) {
    if (value !== null) (secret ? secrets : variables)[name] = value;
  }
  return { snapshot: { plan: accepted.content, variables, secretNames: Object.keys(secrets), targets }, secrets };
}
