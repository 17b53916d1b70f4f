import type { Reason } from '../../../common/http/reason.view.js';
import { FROZEN_HOST_COLUMNS_SQL, FROZEN_HOST_TYPES_SQL } from '../../record/snapshot.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MAY_START_SQL } from '../../../common/installation/installation.sql.js';
import { AuditTrail } from '../../../audit/audit-trail.js';
import type { Principal } from '../../../common/access/principal.js';
import { affected, row, sql, type Sql } from '../../../common/database/sql.js';
import { conflict, invalidRequest, unauthorizedProblem } from '../../../common/errors/problem.js';
import { newId } from '../../../common/ids.js';
import { CHANNELS } from '../../../common/database/notifications.js';
import { readStoppedProblem } from '../../../common/installation/installation-state.js';
import { JobQueue } from '../../../common/queue/job-queue.js';
import { describeFreeze } from '../../../collections/collection-reader.js';
import { describeClosedWindow, computeWindowState } from '../../../environments/windows/run-windows.js';
import { insertSubscribedEvents, NOTIFY_STORED_EVENTS } from '../../../outbox/outbox.sql.js';
import { RunPlanReader } from '../../../plans/records/run-plan.reader.js';
import { ApprovalRounds } from '../../approval/approval-rounds.js';
import { type FurtherRequester, listFurtherRequesters } from '../../approval/rights-from-requesters.js';
import { Admissions, createQueueEvent } from '../../guard/admissions.js';
import { lockQueueExclusively, isBlocked } from '../../guard/guard-queue.js';
import { type InheritedResult, insertInheritedResults } from '../../continuation/inherited-rows.js';
import { listRunGuardKeys } from '../../lifecycle/overlap.js';
import type { ExecutionMode, QueueReason } from '../../lifecycle/statuses.js';
import { selectEventColumnsSql, appendEvents } from '../../output/run-events.js';
import { listPlanIds } from '../../record/execution-row.js';
import type { RunRef } from '../../record/run-head.js';
import { RunSecrets } from '../../record/run-secrets.js';
import type { PreparedRun } from './prepare-run.js';
import type { StartedAuthors } from './start-authors.js';
import type { WaitSettings } from './waiting.js';

export class GuardHeldError extends Error {
  constructor(readonly keys: readonly string[]) {
    super('The guard is held.');
    this.name = 'GuardHeldError';
  }
}

export interface AcceptedRun {
  id: string;
  queued: Promise<void>;
}

export interface RunAcceptance {
  mode: ExecutionMode;
  note: string | null;
  labels: Readonly<Record<string, string>>;
  waiting: WaitSettings;
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

const EARLIER_STEP_REASON: Reason = {
  code: 'before_start',
  text: 'This run starts at a later step.',
};
const PASSED_OVER_STEP_REASON: Reason = {
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

interface InsertedRunRow {
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

/** Hosts per insert statement. Bounds memory: the JSON of all hosts of a large run is never built at once. */
const HOSTS_PER_INSERT = 1_000;

/** @param hosts JSON */
const insertHostsSql = ({ tenantId, executionId }: RunRef, hosts: string): Sql => sql`
    insert into execution_hosts (tenant_id, execution_id, ${FROZEN_HOST_COLUMNS_SQL})
      select ${tenantId}::uuid, ${executionId}::uuid, ${FROZEN_HOST_COLUMNS_SQL}
      from jsonb_to_recordset(${hosts}::jsonb) as x (${FROZEN_HOST_TYPES_SQL})`;

const EARLIER_STEP_REASON_SQL = { code: sql.raw(EARLIER_STEP_REASON.code), text: sql.raw(EARLIER_STEP_REASON.text) };
const PASSED_OVER_STEP_REASON_SQL = {
  code: sql.raw(PASSED_OVER_STEP_REASON.code),
  text: sql.raw(PASSED_OVER_STEP_REASON.text),
};
const EXECUTION_CHANGED_CHANNEL_SQL = sql.raw(CHANNELS.executionChanged);

/** Statement that stores the run. Its text is the same for all runs, so that PostgreSQL plans it once. */
function insertRun(
  caller: Principal,
  run: PreparedRun,
  acceptance: RunAcceptance,
  { id, queuedKeys, data, commits, ...started }: NewRun & { sealedSecrets: Buffer | null },
): Sql<InsertedRunRow> {
  const { mode, note, waiting, parentId, freezeOverride, windowOverride, schedule, fromStep, passedOver } = acceptance;
  const { tenantId } = caller;
  const { steps } = run.snapshot.plan;
  const requesters = listFurtherRequesters(caller, schedule?.askers ?? []);
  const keys = sql.value(started.keys);
  const wantedKeys = sql.value(queuedKeys);
  const labels = sql.value(acceptance.labels);
  const eventData = sql.value(data);
  const tokenId = caller.via === 'token' ? caller.credentialId : null;
  return sql.prepared<InsertedRunRow>`with run as (
    insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status,
        execution_mode, note, snapshot, digest, sealed_secrets, started_by, started_by_name, started_via, token_prefix,
        host_count, parent_id, pause_reason, freeze_override, pause_since, labels, on_overlap, start_at,
        window_override, schedule_id, schedule_name, askers, commit_authors, event_seq, version)
      values (${id}::uuid, ${tenantId}::uuid, ${run.planId}, ${run.planRevision}, ${run.planName}, ${run.environment.id},
        ${run.environment.name}, ${data.status}, ${mode}, ${note}, ${run.snapshot}, ${run.digest}, ${started.sealedSecrets},
        ${caller.userId}, ${caller.name}, ${caller.via}, ${caller.tokenPrefix}, ${run.hosts.length}, ${parentId},
        ${data.pauseReason}::text, ${freezeOverride}, case when ${data.pauseReason}::text is null then null else now() end,
        ${labels}::jsonb, ${waiting.onOverlap}, ${waiting.startAt}, ${windowOverride}, ${schedule?.id ?? null},
        ${schedule?.name ?? null}, ${requesters.length === 0 ? null : JSON.stringify(requesters)}::jsonb,
        ${commits && JSON.stringify(commits)}::jsonb, 1, 2) returning *),
  labels as (
    insert into execution_labels (tenant_id, execution_id, key, value)
      select ${tenantId}::uuid, ${id}::uuid, key, value from jsonb_each_text(${labels}::jsonb)),
  hosts as (
    ${insertHostsSql({ tenantId, executionId: id }, JSON.stringify(run.hosts.slice(0, HOSTS_PER_INSERT)))}),
  steps as (
    insert into execution_steps (tenant_id, execution_id, step_index, key, name, type, status, reason, reason_code)
      select ${tenantId}::uuid, ${id}::uuid, n - 1, key, name, type,
        case when is_before or is_over then 'SKIPPED' else 'PENDING' end,
        case when is_before then '${EARLIER_STEP_REASON_SQL.text}' when is_over then '${PASSED_OVER_STEP_REASON_SQL.text}' end,
        case when is_before then '${EARLIER_STEP_REASON_SQL.code}' when is_over then '${PASSED_OVER_STEP_REASON_SQL.code}' end
      from unnest(${steps.map((step) => step.key)}::text[], ${steps.map((step) => step.name)}::text[],
          ${steps.map((step) => step.type)}::text[]) with ordinality as x (key, name, type, n),
        lateral (select n <= ${fromStep}::int as is_before, n - 1 = any (${passedOver}::int[]) as is_over) y),
  taken as (
    insert into guard_keys (tenant_id, key, execution_id)
      select ${tenantId}::uuid, key, ${id}::uuid from unnest(${keys}::text[]) as key order by key on conflict do nothing returning 1),
  queued as (
    insert into guard_queue (tenant_id, execution_id, environment_id, timeout_seconds)
      select ${tenantId}::uuid, ${id}::uuid, ${run.environment.id}, ${waiting.timeoutSeconds} where cardinality(${wantedKeys}::text[]) > 0),
  wanted as (
    insert into guard_waits (tenant_id, key, execution_id)
      select ${tenantId}::uuid, key, ${id}::uuid from unnest(${wantedKeys}::text[]) as key),
  credential as (
    select expires_at from api_tokens
      where tenant_id = ${tenantId}::uuid and id = ${tokenId}::uuid and revoked_at is null
        and (expires_at is null or expires_at > now())
      -- Its revocation waits for this run, and finds it.
      for key share),
  told as (
    insert into execution_events (tenant_id, execution_id, seq, type, data)
      values (${tenantId}::uuid, ${id}::uuid, 1, 'execution.status_changed', ${eventData}::jsonb)),
  heard as (
    ${insertSubscribedEvents(
      sql`${tenantId}::uuid`,
      sql`(select 1 as n, 'execution.status_changed' as type, ${eventData}::jsonb as data, ${selectEventColumnsSql(sql.raw('e'))} from run e)`,
    )})
  select count(*)::int as taken, ${tokenId}::uuid is null or exists (select from credential) as credited,
      (select expires_at from credential) as "tokenExpiresAt", ${isQueuedForKeysSql(tenantId, keys)} as wanted,
      ${MAY_START_SQL} as begins, pg_notify('${EXECUTION_CHANGED_CHANNEL_SQL}', ${id}::uuid::text), ${NOTIFY_STORED_EVENTS} as heard
    from taken`;
}

/** Condition: a queued run needs one of the keys. Later runs must not overtake it. */
const isQueuedForKeysSql = (tenantId: string, keys: unknown): Sql =>
  sql`exists (select from guard_waits w join guard_queue q on q.tenant_id = ${tenantId}::uuid and q.execution_id = w.execution_id
    where w.tenant_id = ${tenantId}::uuid and w.key = any (${keys}::text[]) and q.arrival is not null)`;

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
   * @throws GuardHeldError when another run holds a guard key of this run or is queued for it: roll back the transaction
   */
  async acceptRun(
    tx: EntityManager,
    caller: Principal,
    run: PreparedRun,
    acceptance: RunAcceptance,
    authors: StartedAuthors,
  ): Promise<AcceptedRun> {
    const id = newId();
    const ref = { tenantId: caller.tenantId, executionId: id };
    const dry = acceptance.mode === 'dry_run';
    const waits = run.environment.protected && !dry;
    const status = waits ? 'PAUSED' : 'PENDING';
    const keys = dry ? [] : listGuardKeys(run);
    const { onOverlap, startAt } = acceptance.waiting;
    const mayQueue = !dry && (waits || onOverlap === 'queue' || startAt !== null);
    const data = { status, previous: null, reason: null, pauseReason: waits ? 'APPROVAL' : null };
    // Sent in one round trip. When one of them refuses, the transaction is rolled back.
    const [, , , , , turn] = await Promise.all([
      mayQueue ? lockQueueExclusively(tx, caller.tenantId) : null,
      !dry && acceptance.freezeOverride === null
        ? this.requireOpenEnvironment(
            tx,
            caller.tenantId,
            listPlanIds({ plan_id: run.planId, snapshot: run.snapshot }),
            startAt,
          )
        : null,
      !dry && acceptance.windowOverride === null ? requireRunWindow(tx, run.environment, startAt) : null,
      this.insert(tx, caller, run, acceptance, {
        ...{ id, keys: mayQueue ? [] : keys, queuedKeys: mayQueue ? keys : [], data, commits: authors.commits },
      }),
      insertInheritedResults(tx, ref, acceptance.inherited),
      waits || startAt !== null ? undefined : this.queue.computeAdvanceTurn(tx, ref.tenantId),
    ]);
    const waitsFor = mayQueue && !waits ? await this.admissions.enterQueue(tx, ref, startAt) : null;
    if (waits && onOverlap === 'refuse' && startAt === null && (await isBlocked(tx, ref)))
      throw new GuardHeldError(keys);
    if (mayQueue && (waits || waitsFor)) await this.admissions.requireQueueCapacity(tx, caller, run.environment);
    const queued = waits || waitsFor ? Promise.resolve() : this.queue.enqueueAdvanceRun(tx, ref, { turn });
    // Prevents an unhandled rejection when the caller fails before it awaits `queued`.
    queued.catch(() => undefined);
    if (waits) {
      await appendEvents(tx, ref, [await this.approvals.requestApproval(tx, ref, run.environment)]);
      await this.scheduleExpiry(tx, ref);
    }
    if (waitsFor) await appendEvents(tx, ref, [createQueueEvent({ status }, waitsFor)]);
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
      throw conflict('collection_frozen', `${describeFreeze(freeze)} Nothing in it starts until then.`);
  }

  private async scheduleExpiry(tx: EntityManager, ref: RunRef): Promise<void> {
    const paused = await row(
      tx,
      sql<{ pause_expires_at: Date | null }>`select pause_expires_at from executions where id = ${ref.executionId}`,
    );
    if (paused?.pause_expires_at) await this.queue.enqueueAdvanceRun(tx, ref, { at: paused.pause_expires_at });
  }

  /**
   * @throws GuardHeldError when another run holds a guard key of this run or is queued for it; Problem 503
   *   `installation_held`, `installation_draining`
   */
  private async insert(
    tx: EntityManager,
    caller: Principal,
    run: PreparedRun,
    acceptance: RunAcceptance,
    created: NewRun,
  ): Promise<void> {
    const ref = { tenantId: caller.tenantId, executionId: created.id };
    const { keys } = created;
    const sealedSecrets = this.secrets.sealSecrets(ref, run.secrets);
    const inserted = await row(tx, insertRun(caller, run, acceptance, { ...created, sealedSecrets }));
    if (inserted && !inserted.credited) throw unauthorizedProblem();
    requireStartBeforeExpiry(acceptance.waiting.startAt, inserted?.tokenExpiresAt ?? null);
    if (inserted && !inserted.begins) throw await readStoppedProblem(tx);
    if (inserted === undefined || inserted.wanted || inserted.taken < keys.length) throw new GuardHeldError(keys);
    for (let from = HOSTS_PER_INSERT; from < run.hosts.length; from += HOSTS_PER_INSERT) {
      const more = JSON.stringify(run.hosts.slice(from, from + HOSTS_PER_INSERT));
      await affected(tx, insertHostsSql(ref, more));
    }
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    run: PreparedRun,
    acceptance: RunAcceptance,
    { id, status, waitsFor, accepted }: StartedRun,
  ): Promise<void> {
    const { mode, note, labels, waiting, parentId, fromStep, inherited } = acceptance;
    const { freezeOverride, windowOverride, schedule } = acceptance;
    return this.audit.record(tx, caller, {
      action: 'execution.start',
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
async function requireRunWindow(
  tx: EntityManager,
  { name, runWindows }: PreparedRun['environment'],
  startAt: Date | null,
): Promise<void> {
  if (runWindows === null) return;
  const time = startAt ? { now: startAt } : await row(tx, sql<{ now: Date }>`select now() as now`);
  const state = computeWindowState(runWindows, time?.now ?? new Date());
  if (state.open) return;
  throw conflict(
    'outside_run_window',
    `${describeClosedWindow(name, runWindows, state)} Nothing starts there until then.`,
    {
      ...(state.opensAt ? { nextOpensAt: state.opensAt.toISOString() } : {}),
    },
  );
}

const listGuardKeys = (run: Pick<PreparedRun, 'planId' | 'environment' | 'hosts' | 'snapshot'>): string[] =>
  listRunGuardKeys({
    planId: run.planId,
    environmentId: run.environment.id,
    hosts: run.hosts,
    parallelSafe: run.snapshot.plan.parallelSafe,
    called: run.snapshot.calledPlans,
    locks: run.snapshot.plan.locks,
  });
