import { toHostReason } from '../../../common/http/reason.view.js';
import type { EntityManager } from 'typeorm';
import type { HostOutcome } from './host-outcome.js';
import type { OutputTotals, StreamBytes } from './host-output.js';
import { type HostChange, getStatusAfter, type StatusCountDelta, type HostOutputChunks } from './step-progress.js';
import { affected, row, sql, type Sql } from '../../../common/database/sql.js';
import { insertChunks } from '../../output/stored-output.js';
import { insertEvents, type NewRunEvent, reserveNumbers, createOutputPointers } from '../../output/run-events.js';
import { type OwnershipFence, OwnershipLostError } from '../../store/fence.js';
import type { RunRef } from '../../record/run-head.js';
import { isHostSql, selectHostPairsSql } from '../../record/some-hosts.js';

const EMPTY_OUTCOME = {
  retry_ms: null,
  attempt_status: null,
  exit_code: null,
  signal: null,
  code: null,
  message: null,
};

/**
 * Merges the changes of a flush into one row per host. Storing the row has the same result as storing the changes one
 * after the other. Columns that a row omits stay unchanged.
 */
export function mergeChangesByHost(changes: readonly HostChange[], epoch: number): object[] {
  const rows = new Map<string, Record<string, unknown>>();
  for (const change of changes) {
    const row = rows.get(change.serverId) ?? { server_id: change.serverId };
    rows.set(change.serverId, row);
    Object.assign(row, { status: getStatusAfter(change) ?? row.status }, EMPTY_OUTCOME, toChangeColumns(change, epoch));
  }
  return [...rows.values()];
}

function toChangeColumns(change: HostChange, epoch: number): object {
  switch (change.kind) {
    case 'connecting':
      return { begins: true, ...change.why };
    case 'dispatch':
      return {
        dispatch_id: change.dispatchId,
        undone: false,
        epoch,
        attempts: change.attempt,
        journaled: change.journaled ? null : false,
        command_begins: false,
        ...toBeforeColumns(change.before),
      };
    case 'started':
      return {
        journaled: change.journaled,
        ...(change.first ? { command_begins: true } : {}),
        ...(change.before ? toBeforeColumns(change.before) : {}),
      };
    case 'withdrawn':
      return { undone: true, dispatch_id: null, command_begins: false, attempts: change.attempt };
    case 'retrying':
      return {
        undone: true,
        dispatch_id: null,
        command_begins: false,
        attempts: change.attempt,
        retry_ms: change.delayMs,
        attempt_status: change.outcome.status,
        exit_code: change.outcome.exitCode,
        signal: change.outcome.signal,
        code: change.outcome.code,
        message: change.outcome.message,
      };
    case 'finished':
      return {
        ends: true,
        verdict: change.verdict ?? null,
        diff: change.diff ?? null,
        ...toOutcomeColumns(change.outcome),
        ...toTotalsJson(change.totals),
      };
  }
}

const toBeforeColumns = ({ stdout, stderr }: StreamBytes) => ({ stdout_before: stdout, stderr_before: stderr });

const toOutcomeColumns = ({ exitCode, signal, code, message, changed, outputs }: HostOutcome) => ({
  exit_code: exitCode,
  signal,
  code,
  message,
  changed: changed ?? null,
  outputs: outputs ?? null,
});

const toTotalsJson = (totals: OutputTotals | null) =>
  totals && {
    lines: totals.lines,
    bytes: totals.bytes,
    dropped_lines: totals.droppedLines,
    dropped_bytes: totals.droppedBytes,
    dropped_after_line: totals.droppedAfterLine,
  };

export interface ProgressBatch {
  stepIndex: number;
  stepKey: string;
  changes: readonly HostChange[];
  output: readonly HostOutputChunks[];
  counts: StatusCountDelta;
  /** Number of the flush, ascending within a run or slice. */
  flush: number;
}

/**
 * Audits which hosts start a command without a journal because their disk is full. Runs in the transaction that stores
 * the intents.
 */
export type RecordFullHomes = (tx: EntityManager, serverIds: readonly string[]) => Promise<void>;

/**
 * Stores a batch with as few statements as possible. The number of statements and notifications does not depend on the
 * number of rows. On an error, nothing is stored.
 * @throws OwnershipLostError when the run has another owner, when another worker stored a result of one of the hosts, or
 *   when a command is about to start in a run that waits for a person
 */
export async function storeProgress(
  tx: EntityManager,
  ref: RunRef,
  fence: OwnershipFence,
  batch: ProgressBatch,
  noteFullHomes: RecordFullHomes = () => Promise.resolve(),
): Promise<void> {
  const events = batch.changes.flatMap((change) => toRunEvents(change, batch.stepKey));
  const chunks = batch.output.flatMap(({ serverId, chunks }) => chunks.map((chunk) => ({ serverId, ...chunk })));
  const pointers = createOutputPointers(chunks);
  const hasVisibleChange = batch.changes.some(isVisibleChange);
  const numbers = await reserveNumbers(
    tx,
    ref,
    {
      events: events.length + pointers.length,
      chunks: chunks.length,
      outputOnly: !hasVisibleChange,
      intents: batch.changes.some(({ kind }) => kind === 'dispatch'),
    },
    { ...fence, flush: batch.flush },
  );
  if (!numbers) return requireStoredFlush(tx, ref, fence, batch.flush);
  const fullHomes = batch.changes.filter((change) => change.kind === 'dispatch' && change.homeFull);
  if (fullHomes.length > 0)
    await noteFullHomes(
      tx,
      fullHomes.map(({ serverId }) => serverId),
    );
  // Output precedes the `finished` events of its hosts, so a follower has all output of a host when it reads that
  // event.
  const output = pointers.map(({ from, to, size }): NewRunEvent => {
    return { type: 'output.appended', data: { from: numbers.chunks + from, to: numbers.chunks + to, size } };
  });
  const starts = events.filter((event) => event.type === 'host.started');
  const ends = events.filter((event) => event.type !== 'host.started');
  // Followers are not notified of a flush that contains only intents.
  const hasEvents = events.length + output.length > 0 || hasVisibleChange;
  await Promise.all([
    insertChunks(tx, ref, { stepIndex: batch.stepIndex, before: numbers.chunks }, chunks),
    batch.changes.length > 0 ? storeChanges(tx, ref, fence, batch) : null,
    hasEvents ? insertEvents(tx, ref, numbers.events, [...starts, ...output, ...ends]) : null,
  ]);
}

/** Whether the change is visible in the run's record. An intent to start appears only in the results. */
const isVisibleChange = (change: HostChange): boolean => change.kind !== 'dispatch';

/** Distinguishes two cases: the flush was stored earlier and only its answer was lost, or the run has another owner. */
async function requireStoredFlush(tx: EntityManager, ref: RunRef, fence: OwnershipFence, flush: number): Promise<void> {
  const table = fence.sliceId ? sql`execution_slices` : sql`executions`;
  const { owner, epoch } = fence;
  const stored = await row(
    tx,
    sql`select 1 from ${table} where id = ${fence.sliceId ?? ref.executionId}
      and owner = ${owner} and epoch = ${epoch} and flush_seq = ${flush}`,
  );
  if (!stored) throw new OwnershipLostError();
}

async function storeChanges(
  tx: EntityManager,
  ref: RunRef,
  fence: OwnershipFence,
  batch: ProgressBatch,
): Promise<void> {
  const changes = mergeChangesByHost(batch.changes, fence.epoch);
  // Passes the IDs as a list too. With the join alone, PostgreSQL may read all of the run's thousands of hosts to find
  // a few.
  const ids = [...new Set(batch.changes.map(({ serverId }) => serverId))];
  const [open] = await Promise.all([
    affected(tx, updateResultsSql(ref, batch.stepIndex, changes, ids)),
    affected(tx, updateStepSql(ref, fence, batch)),
  ]);
  if (open < changes.length) throw new OwnershipLostError();
}

const updateResultsSql = (
  { executionId }: RunRef,
  stepIndex: number,
  changes: readonly object[],
  ids: readonly string[],
): Sql => sql.prepared`
  update host_results r set
    status = coalesce(x.status, r.status),
    dispatch_id = case when x.undone then null else coalesce(x.dispatch_id, r.dispatch_id) end,
    epoch = coalesce(x.epoch, r.epoch),
    attempts = coalesce(x.attempts, r.attempts),
    journaled = case when x.undone then null when x.dispatch_id is not null then x.journaled else coalesce(x.journaled, r.journaled) end,
    stdout_before = coalesce(x.stdout_before, r.stdout_before), stderr_before = coalesce(x.stderr_before, r.stderr_before),
    command_started_at = case when x.command_begins then clock_timestamp() when x.dispatch_id is not null or x.undone then null
      else r.command_started_at end,
    started_at = case when x.begins then coalesce(r.started_at, clock_timestamp()) else r.started_at end,
    finished_at = case when x.ends then clock_timestamp() else r.finished_at end,
    next_attempt_at = clock_timestamp() + x.retry_ms * interval '1 millisecond', attempt_status = x.attempt_status,
    exit_code = x.exit_code, signal = x.signal, code = x.code, message = x.message,
    changed = case when x.ends then x.changed else r.changed end,
    outputs = case when x.ends then x.outputs else r.outputs end,
    verdict = case when x.ends then x.verdict else r.verdict end, diff = case when x.ends then x.diff else r.diff end,
    output_lines = coalesce(x.lines, r.output_lines), output_bytes = coalesce(x.bytes, r.output_bytes),
    dropped_lines = coalesce(x.dropped_lines, r.dropped_lines), dropped_bytes = coalesce(x.dropped_bytes, r.dropped_bytes),
    dropped_after_line = coalesce(x.dropped_after_line, r.dropped_after_line)
  from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as x (server_id uuid, status text, dispatch_id uuid, undone boolean, epoch int, attempts int,
    journaled boolean, stdout_before bigint, stderr_before bigint, command_begins boolean, begins boolean, ends boolean,
    retry_ms float8, attempt_status text, exit_code int, signal text, code text, message text, changed boolean, outputs jsonb, verdict text, diff text,
    lines bigint, bytes bigint, dropped_lines bigint, dropped_bytes bigint, dropped_after_line bigint)
  where r.execution_id = ${executionId} and r.step_index = ${stepIndex} and r.server_id = x.server_id
    and r.server_id = any (${ids}::uuid[]) and r.status in ('PENDING', 'CONNECTING', 'RUNNING')`;

/** Stores the counts of the step, and what the batch adds to the intents and to the hosts that have begun. */
function updateStepSql({ tenantId, executionId }: RunRef, { epoch }: OwnershipFence, batch: ProgressBatch): Sql {
  const { stepIndex, stepKey, counts } = batch;
  const dispatches = batch.changes.filter((change) => change.kind === 'dispatch');
  const begun = batch.changes.filter((change) => change.kind === 'connecting').map(({ serverId }) => serverId);
  // A dispatch ID can be reused when its intent was stored but nothing was sent. The first intent is then kept.
  const intents = sql`intents as (
    insert into dispatches (dispatch_id, tenant_id, execution_id, step_index, server_id, attempt, epoch)
      select dispatch_id, ${tenantId}::uuid, ${executionId}::uuid, ${stepIndex}::int, server_id, attempt, ${epoch}::int
        from unnest(${dispatches.map(({ dispatchId }) => dispatchId)}::uuid[],
          ${dispatches.map(({ serverId }) => serverId)}::uuid[], ${dispatches.map(({ attempt }) => attempt)}::int[])
          as x (dispatch_id, server_id, attempt)
      on conflict (dispatch_id) do nothing),`;
  // Locks in a fixed order to avoid deadlocks: other transactions record reached addresses of several hosts at the same
  // time.
  const marks = sql`begun as materialized (
    select h.server_id from ${selectHostPairsSql(executionId, sql`unnest(${begun}::uuid[]) server_id`)} x
      join execution_hosts h on ${IS_SAME_HOST_SQL} order by h.server_id for no key update of h),
  marked as (
    update execution_hosts h set last_step_key = ${stepKey}
      from ${selectHostPairsSql(executionId, sql`begun`)} x where ${IS_SAME_HOST_SQL}),`;
  return sql.prepared`
    with ${dispatches.length > 0 ? intents : sql.none} ${begun.length > 0 ? marks : sql.none}
      counted as (select ${counts}::jsonb as added)
    update execution_steps set counts = merge_counts(counts, added) from counted
      where execution_id = ${executionId} and step_index = ${stepIndex}`;
}

const IS_SAME_HOST_SQL = isHostSql(sql`h`, sql`x`);

function toRunEvents(change: HostChange, stepKey: string): NewRunEvent[] {
  const { serverId } = change;
  if (change.kind === 'started')
    return change.first ? [{ type: 'host.started', data: { stepKey, serverId, status: 'RUNNING' } }] : [];
  if (change.kind === 'connecting')
    return change.why
      ? [{ type: 'host.reconnecting', data: { stepKey, serverId, status: 'CONNECTING', reason: change.why } }]
      : [];
  if (change.kind === 'retrying') {
    const { status, exitCode, code, message } = change.outcome;
    const { attempt, delayMs } = change;
    const reason = toHostReason(code, message);
    const data = { stepKey, serverId, status, exitCode, reason, attempt, nextInMs: delayMs };
    return [{ type: 'host.retrying', data }];
  }
  if (change.kind !== 'finished') return [];
  const { status, exitCode, signal, code, message, changed = null } = change.outcome;
  const verdict = change.verdict ? { verdict: change.verdict } : {};
  return [
    {
      type: 'host.finished',
      data: { stepKey, serverId, status, exitCode, signal, reason: toHostReason(code, message), changed, ...verdict },
    },
  ];
}
