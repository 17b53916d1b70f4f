import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MAY_START_SQL } from '../../../common/installation/installation.sql.js';
import { AuditTrail } from '../../../audit/audit-trail.js';
import type { Principal } from '../../../common/access/principal.js';
import { sql } from '../../../common/database/sql.js';
import { prepared } from '../../../common/database/prepared.js';
import { conflict, invalidRequest, unauthorized } from '../../../common/errors/problem.js';
import { newId } from '../../../common/ids.js';
import { CHANNELS } from '../../../common/notify/notifications.js';
import { installationStopped } from '../../../common/installation/installation-problem.js';
import { JobQueue } from '../../../common/queue/job-queue.js';
import { frozenText } from '../../../collections/collection-reader.js';
import { closedText, windowState } from '../../../environments/windows/run-windows.js';
import { insertSubscribedEvents, NOTIFY_STORED_EVENTS } from '../../../outbox/outbox.sql.js';
import { RunPlanReader } from '../../../plans/run-plan.reader.js';
import { ApprovalRounds } from '../../approval/approval-rounds.js';
import { type FurtherRequester, furtherRequestersOf } from '../../approval/requesters.js';
import { Admissions, queueEvent } from '../../guard/admissions.js';
import { lockQueue, isBlocked } from '../../guard/guard-queue.js';
import { type InheritedResult, insertInherited } from '../../continuation/inherited-rows.js';
import { guardKeysOf } from '../../lifecycle/overlap.js';
import type { StatusReason } from '../../lifecycle/run-state.js';
import type { ExecutionMode, QueueReason } from '../../lifecycle/statuses.js';
import { externalEventColumns } from '../../output/external-events.js';
import { appendEvents } from '../../output/run-events.js';
import { plansOf } from '../../record/execution-row.js';
import { RunSecrets } from '../../record/run-secrets.js';
import type { PreparedRun } from './prepare-run.js';
import type { StartedAuthors } from './start-authors.js';
import type { Waiting } from './waiting.js';

export class GuardHeld extends Error {
  constructor(readonly keys: readonly string[]) {
    super('The guard is held.');
    this.name = 'GuardHeld';
  }
}

export interface AcceptedRun {
  id: string;
  queued: Promise<void>;
}

export interface Acceptance {
  mode: ExecutionMode;
  note: string | null;
  labels: Readonly<Record<string, string>>;
  waiting: Waiting;
  freezeOverride: string | null;
  windowOverride: string | null;
  /** Schedule that starts the run, and its requesters; null: started by the caller. */
  schedule: { id: string; name: string; askers: readonly FurtherRequester[]; vouchedAt: Date } | null;
  /** Reason for accepting content by authors who have no rights in the environment; null: not accepted. */
  acceptAuthors: string | null;
  parentId: string | null;
  fromStep: number;
  /** Indexes of steps after `fromStep` that no host runs. */
  passedOver: readonly number[];
  inherited: readonly InheritedResult[];
}

const BEFORE_START_REASON: StatusReason = {
  code: 'before_start',
  text: 'This run starts at a later step.',
};
const PASSED_OVER_REASON: StatusReason = {
  code: 'done_before',
  text: 'The original run already completed this step on all hosts of this rerun.',
};

interface NewRun {
  id: string;
  /** Guard keys that the run takes at its start. It takes `queuedKeys` later. */
  keys: string[];
  queuedKeys: string[];
  data: { status: string; pauseReason: string | null };
  commits: StartedAuthors['commits'];
}

interface InsertedRow {
  taken: number;
  wanted: boolean;
  begins: boolean;
  /** True when the token that started the run is still valid, or no token started it. */
  credited: boolean;
  tokenExpiresAt: Date | null;
}

interface StartedRun {
  id: string;
  status: string;
  waitsFor: QueueReason | null;
  accepted: StartedAuthors['accepted'];
}

/** Whether a queued run needs one of the keys. Later runs must not overtake it. */
const IS_QUEUED_FOR_SQL = `exists (select from guard_waits w join guard_queue q on q.tenant_id = $2::uuid and q.execution_id = w.execution_id
    where w.tenant_id = $2::uuid and w.key = any ($28::text[]) and q.arrival is not null)`;

/** Hosts per insert statement. Bounds memory: the JSON of all hosts of a large run is never built at once. */
const HOSTS_PER_INSERT = 1_000;

/** @param hosts placeholder for the JSON of the hosts; `$1` is the run's ID and `$2` the tenant's ID */
const insertHosts = (hosts: string): string => `
    insert into execution_hosts (tenant_id, execution_id, server_id, ordinal, name, hostname, port, username, ssh_key_id, host_key,
        more_host_keys, jump_server_id, legacy_algorithms, login_timeout_seconds, tags, variables, secrets)
      select $2::uuid, $1::uuid, x.server_id, x.ordinal, x.name, x.hostname, x.port, x.username, x.ssh_key_id, x.host_key,
        x.more_host_keys, x.jump_server_id, x.legacy_algorithms, x.login_timeout_seconds, x.tags, x.variables, x.secrets
      from jsonb_to_recordset(${hosts}::jsonb) as x (server_id uuid, ordinal int, name text, hostname text, port int, username text,
        ssh_key_id uuid, host_key jsonb, more_host_keys jsonb, jump_server_id uuid, legacy_algorithms boolean,
        login_timeout_seconds int, tags jsonb, variables jsonb, secrets jsonb)`;

const INSERT_MORE_HOSTS = insertHosts('$3');

const INSERT = prepared(`with run as (
    insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status,
        execution_mode, note, snapshot, digest, sealed_secrets, started_by, started_by_name, started_via, token_prefix,
        host_count, parent_id, pause_reason, freeze_override, pause_since, labels, on_overlap, start_at,
        window_override, schedule_id, schedule_name, askers, commit_authors, event_seq, version)
      values ($1::uuid, $2::uuid, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20::text, $21,
        case when $20::text is null then null else now() end, $30::jsonb, $31, $32, $35, $36, $37, $38::jsonb, $39::jsonb, 1, 2) returning *),
  labels as (
    insert into execution_labels (tenant_id, execution_id, key, value)
      select $2::uuid, $1::uuid, key, value from jsonb_each_text($30::jsonb)),
  hosts as (
    ${insertHosts('$22')}),
  steps as (
    insert into execution_steps (tenant_id, execution_id, step_index, key, name, type, status, reason, reason_code)
      select $2::uuid, $1::uuid, n - 1, key, name, type,
        case when is_before or is_over then 'SKIPPED' else 'PENDING' end,
        case when is_before then '${BEFORE_START_REASON.text}' when is_over then '${PASSED_OVER_REASON.text}' end,
        case when is_before then '${BEFORE_START_REASON.code}' when is_over then '${PASSED_OVER_REASON.code}' end
      from unnest($23::text[], $24::text[], $25::text[]) with ordinality as x (key, name, type, n),
        lateral (select n <= $26::int as is_before, n - 1 = any ($27::int[]) as is_over) y),
  taken as (
    insert into guard_keys (tenant_id, key, execution_id)
      select $2::uuid, key, $1::uuid from unnest($28::text[]) as key order by key on conflict do nothing returning 1),
  queued as (
    insert into guard_queue (tenant_id, execution_id, environment_id, timeout_seconds)
      select $2::uuid, $1::uuid, $6, $33 where cardinality($34::text[]) > 0),
  wanted as (
    insert into guard_waits (tenant_id, key, execution_id) select $2::uuid, key, $1::uuid from unnest($34::text[]) as key),
  credential as (
    select expires_at from api_tokens
      where tenant_id = $2::uuid and id = $40::uuid and revoked_at is null and (expires_at is null or expires_at > now())
      -- Its revocation waits for this run, and finds it.
      for key share),
  told as (
    insert into execution_events (tenant_id, execution_id, seq, type, data)
      values ($2::uuid, $1::uuid, 1, 'execution.status_changed', $29::jsonb)),
  heard as (
    ${insertSubscribedEvents(
      sql.raw('$2::uuid'),
      sql.raw(
        `(select 1 as n, 'execution.status_changed' as type, $29::jsonb as data, ${externalEventColumns('e')} from run e)`,
      ),
    )})
  select count(*)::int as taken, $40::uuid is null or exists (select from credential) as credited,
      (select expires_at from credential) as "tokenExpiresAt", ${IS_QUEUED_FOR_SQL} as wanted, ${MAY_START_SQL} as begins,
      pg_notify('${CHANNELS.executionChanged}', $1::uuid::text), ${NOTIFY_STORED_EVENTS} as heard
    from taken`);

/**
 * Accepts a run: stores the run, its snapshot with digest, its guard keys, the first audit entry and the queue job in
 * one transaction. In a protected environment the run then waits for approval, otherwise for a worker.
 */
@Injectable()
export class AcceptRun {
  constructor(
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
    private readonly approvals: ApprovalRounds,
    private readonly secrets: RunSecrets,
    private readonly plans: RunPlanReader,
    private readonly admissions: Admissions,
  ) {}

  /**
   * @returns the run's ID, and a promise for its stored job: await that before the transaction ends
   * @throws Problem 400 `outlives_token`; 401 when the token has just ended; 409 `collection_frozen`,
   *   `outside_run_window`, `queue_full`
   * @throws GuardHeld when another run holds a guard key of this run or is queued for it: roll back the transaction
   */
  async accept(
    tx: EntityManager,
    caller: Principal,
    run: PreparedRun,
    acceptance: Acceptance,
    authors: StartedAuthors,
  ): Promise<AcceptedRun> {
    const id = newId();
    const ref = { tenantId: caller.tenantId, executionId: id };
    const dry = acceptance.mode === 'dry_run';
    const waits = run.environment.protected && !dry;
    const status = waits ? 'PAUSED' : 'PENDING';
    const keys = dry ? [] : guardKeys(run);
    const { onOverlap, startAt } = acceptance.waiting;
    const mayQueue = !dry && (waits || onOverlap === 'queue' || startAt !== null);
    const data = { status, previous: null, reason: null, pauseReason: waits ? 'APPROVAL' : null };
    // Sent in one round trip. When one of them refuses, the transaction is rolled back.
    const [, , , , , turn] = await Promise.all([
      mayQueue ? lockQueue(tx, caller.tenantId) : null,
      !dry && acceptance.freezeOverride === null
        ? this.requireOpenEnvironment(
            tx,
            caller.tenantId,
            plansOf({ plan_id: run.planId, snapshot: run.snapshot }),
            startAt,
          )
        : null,
      !dry && acceptance.windowOverride === null ? requireWindow(tx, run.environment, startAt) : null,
      this.insert(tx, caller, run, acceptance, {
        ...{ id, keys: mayQueue ? [] : keys, queuedKeys: mayQueue ? keys : [], data, commits: authors.commits },
      }),
      insertInherited(tx, ref, acceptance.inherited),
      waits || startAt !== null ? undefined : this.queue.turnToAdvance(tx, ref.tenantId),
    ]);
    const waitsFor = mayQueue && !waits ? await this.admissions.enter(tx, ref, startAt) : null;
    if (waits && onOverlap === 'refuse' && startAt === null && (await isBlocked(tx, ref))) throw new GuardHeld(keys);
    if (mayQueue && (waits || waitsFor)) await this.admissions.requireQueueCapacity(tx, caller, run.environment);
    const queued = waits || waitsFor ? Promise.resolve() : this.queue.enqueueAdvanceRun(tx, ref, { turn });
    // Prevents an unhandled rejection when the caller fails before it awaits `queued`.
    queued.catch(() => undefined);
    if (waits) {
      await appendEvents(tx, ref, [await this.approvals.request(tx, ref, run.environment)]);
      await this.enqueueAtExpiry(tx, ref);
    }
    if (waitsFor) await appendEvents(tx, ref, [queueEvent({ status }, waitsFor)]);
    await this.recordAudit(tx, caller, run, acceptance, { id, status, waitsFor, accepted: authors.accepted });
    return { id, queued };
  }

  private async requireOpenEnvironment(
    tx: EntityManager,
    tenantId: string,
    planIds: readonly string[],
    startAt: Date | null,
  ): Promise<void> {
    const freeze = await this.plans.freeze(tx, tenantId, planIds);
    if (freeze && (startAt === null || startAt < freeze.until))
      throw conflict('collection_frozen', `${frozenText(freeze)} Nothing in it starts until then.`);
  }

  private async enqueueAtExpiry(tx: EntityManager, ref: { tenantId: string; executionId: string }): Promise<void> {
    const [row] = await tx.query<{ pause_expires_at: Date }[]>(
      'select pause_expires_at from executions where id = $1',
      [ref.executionId],
    );
    if (row) await this.queue.enqueueAdvanceRun(tx, ref, { at: row.pause_expires_at });
  }

  /**
   * @throws GuardHeld when another run holds a guard key of this run or is queued for it; Problem 503
   *   `installation_held`, `installation_draining`
   */
  private async insert(
    tx: EntityManager,
    caller: Principal,
    run: PreparedRun,
    acceptance: Acceptance,
    { id, keys, queuedKeys, data, commits }: NewRun,
  ): Promise<void> {
    const { mode, note, labels, waiting, parentId, freezeOverride, fromStep, passedOver } = acceptance;
    const { steps } = run.snapshot.plan;
    const askers = furtherRequestersOf(caller, acceptance.schedule?.askers ?? []);
    const [row] = await tx.query<InsertedRow[]>(INSERT, [
      id,
      caller.tenantId,
      run.planId,
      run.planRevision,
      run.planName,
      run.environment.id,
      run.environment.name,
      data.status,
      mode,
      note,
      run.snapshot,
      run.digest,
      this.secrets.seal({ tenantId: caller.tenantId, executionId: id }, run.secrets),
      caller.userId,
      caller.name,
      caller.via,
      caller.tokenPrefix,
      run.hosts.length,
      parentId,
      data.pauseReason,
      freezeOverride,
      JSON.stringify(run.hosts.slice(0, HOSTS_PER_INSERT)),
      steps.map((step) => step.key),
      steps.map((step) => step.name),
      steps.map((step) => step.type),
      fromStep,
      passedOver,
      keys,
      data,
      labels,
      waiting.onOverlap,
      waiting.startAt,
      waiting.timeoutSeconds,
      queuedKeys,
      acceptance.windowOverride,
      acceptance.schedule?.id ?? null,
      acceptance.schedule?.name ?? null,
      askers.length === 0 ? null : JSON.stringify(askers),
      commits && JSON.stringify(commits),
      caller.via === 'token' ? caller.credentialId : null,
    ]);
    if (row && !row.credited) throw unauthorized();
    requireStartBeforeExpiry(waiting.startAt, row?.tokenExpiresAt ?? null);
    if (row && !row.begins) throw await installationStopped(tx);
    if (row === undefined || row.wanted || row.taken < keys.length) throw new GuardHeld(keys);
    for (let from = HOSTS_PER_INSERT; from < run.hosts.length; from += HOSTS_PER_INSERT) {
      const more = JSON.stringify(run.hosts.slice(from, from + HOSTS_PER_INSERT));
      await tx.query(INSERT_MORE_HOSTS, [id, caller.tenantId, more]);
    }
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    run: PreparedRun,
    acceptance: Acceptance,
    { id, status, waitsFor, accepted }: StartedRun,
  ): Promise<void> {
    const { mode, note, labels, waiting, parentId, fromStep, inherited } = acceptance;
    const { freezeOverride, windowOverride, schedule } = acceptance;
    return this.audit.record(tx, caller, {
      action: 'execution.start',
      resourceType: 'execution',
      resourceId: id,
      resourceName: run.planName,
      after: {
        status,
        planId: run.planId,
        planRevision: run.planRevision,
        environmentId: run.environment.id,
        execution_mode: mode,
        hosts: run.hosts.length,
        digest: run.digest,
        secrets: run.snapshot.secretNames,
        note,
        ...(Object.keys(labels).length === 0 ? {} : { labels }),
        ...(freezeOverride === null ? {} : { freezeOverride }),
        ...(windowOverride === null ? {} : { windowOverride }),
        ...(schedule === null ? {} : { schedule: { id: schedule.id, name: schedule.name } }),
        ...(accepted.length === 0 ? {} : { acceptedAuthors: accepted }),
        ...(waiting.onOverlap === 'refuse' ? {} : { onOverlap: waiting.onOverlap }),
        ...(waiting.startAt === null ? {} : { startAt: waiting.startAt.toISOString() }),
        ...(waitsFor === null ? {} : { waitsFor }),
        ...(parentId
          ? { parentId, fromStepKey: run.snapshot.plan.steps[fromStep]?.key ?? null, inherited: inherited.length }
          : {}),
      },
    });
  }
}

/**
 * A run that has not begun when its token ends is cancelled, so it must start before. @throws Problem 400
 * `outlives_token`
 */
function requireStartBeforeExpiry(startAt: Date | null, expiresAt: Date | null): void {
  if (!startAt || !expiresAt || startAt < expiresAt) return;
  const end = expiresAt.toISOString();
  const message = `startAt must be before the token that starts the run expires (${end}). Choose an earlier time, or use a token that expires later.`;
  throw invalidRequest([{ path: '/startAt', code: 'outlives_token', message }], 'The run was not started.');
}

/**
 * Compares with the clock of the database.
 * @param startAt planned start; null: now
 * @throws Problem 409 `outside_run_window`
 */
async function requireWindow(
  tx: EntityManager,
  { name, runWindows }: PreparedRun['environment'],
  startAt: Date | null,
): Promise<void> {
  if (runWindows === null) return;
  const [row] = startAt ? [{ now: startAt }] : await tx.query<{ now: Date }[]>('select now() as now');
  const state = windowState(runWindows, row?.now ?? new Date());
  if (state.open) return;
  throw conflict('outside_run_window', `${closedText(name, runWindows, state)} Nothing starts there until then.`, {
    ...(state.opensAt ? { nextOpensAt: state.opensAt.toISOString() } : {}),
  });
}

const guardKeys = (run: Pick<PreparedRun, 'planId' | 'environment' | 'hosts' | 'snapshot'>): string[] =>
  guardKeysOf({
    planId: run.planId,
    environmentId: run.environment.id,
    hosts: run.hosts,
    parallelSafe: run.snapshot.plan.parallelSafe,
    called: run.snapshot.calledPlans,
    locks: run.snapshot.plan.locks,
  });
