import type { ReasonCode } from '../../common/errors/reason-codes.js';
import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { CHANNELS } from '../../common/database/notifications.js';
import type { JobQueue } from '../../common/queue/job-queue.js';
import { releaseGuardKeys } from '../guard/guard-queue.js';
import { listHostGuardKeys } from '../lifecycle/overlap.js';
import type { RunState } from '../lifecycle/run-state.js';
import { type HostStatus, isFinished, PAUSE_ACTIONS } from '../lifecycle/statuses.js';
import type { NewRunEvent } from '../output/run-events.js';
import type { RunRef } from '../record/run-head.js';
import { isHostSql, selectHostPairsSql } from '../record/some-hosts.js';

/** Maximum interval between checks of a held run, in seconds. The end of a freeze wakes the run earlier. */
const RECHECK_SECONDS = 60;

/** Time limit for a decision within a run, in seconds. After it, the run ends as EXPIRED. */
const DECISION_TIMEOUT_SECONDS = 4 * 60 * 60;

export async function writeProgress(
  tx: EntityManager,
  ref: RunRef,
  before: RunState,
  state: RunState,
): Promise<NewRunEvent[]> {
  const events: NewRunEvent[] = [];
  await writeReopenedHosts(tx, ref, state);
  await writeAnsweredHosts(tx, ref, state);
  for (const settled of state.settled) await writeSettledHosts(tx, ref, state, settled, events);
  await writeSteps(tx, ref, before, state, events);
  await writeHosts(tx, ref, before, state);
  return events;
}

/**
 * Stores the run's row: status, pause and times. A waiting run gives up its lease. Waiting does not count towards the
 * run's time limit.
 */
export async function writeHead(tx: EntityManager, ref: RunRef, before: RunState, state: RunState): Promise<void> {
  const waits = state.status === 'PAUSED';
  const isWaiting = waitsForClearance(state);
  const runs = state.status === 'RUNNING';
  const pauses = waits && before.status !== 'PAUSED';
  const continues = before.status === 'PAUSED' && !waits;
  const releasesLease = pauses || isWaiting;
  const pauseReason = state.pause?.reason ?? null;
  const pauseStep = state.pause?.index ?? null;
  await affected(
    tx,
    sql`update executions set status = ${state.status}, status_code = ${state.reason?.code ?? null},
        status_text = ${state.reason?.text ?? null}, execution_mode = ${state.mode},
        pause_requested_by = ${state.pauseRequestedBy?.name ?? null},
        pause_requested_by_id = ${state.pauseRequestedBy?.id ?? null},
        started_at = case when ${runs} then coalesce(started_at, now()) else started_at end,
        finished_at = case when ${isFinished(state.status)} then now() end,
        deadline_at = case
          when ${continues} and deadline_at is not null then deadline_at + (now() - pause_since)
          when ${runs} and started_at is null then now() + make_interval(secs => (snapshot->'plan'->>'timeoutSeconds')::int)
          else deadline_at end,
        pause_reason = ${pauseReason}, pause_step = ${pauseStep}, pause_text = ${state.pause?.text ?? null},
        pause_since = case when ${pauseReason}::text is null then null when ${pauses} then now() else pause_since end,
        pause_expires_at = case when ${pauseReason}::text is null then null
          when ${pauses} and ${pauseReason}::text <> 'APPROVAL' then now() + make_interval(
            secs => case when ${pauseReason}::text = 'GATE'
              then (snapshot #>> array['plan', 'steps', ${pauseStep}::int::text, 'timeoutSeconds'])::int
              else ${DECISION_TIMEOUT_SECONDS}::int end)
          else pause_expires_at end,
        owner = case when ${releasesLease} then null else owner end,
        lease_until = case when ${releasesLease} then null else lease_until end,
        not_before = case when ${isWaiting} then now() + make_interval(secs => ${RECHECK_SECONDS}) else not_before end
      where id = ${ref.executionId}`,
  );
}

/** Whether a worker claimed the run, but a freeze or run window prevents its start. */
export const waitsForClearance = ({ status, clearance }: RunState): boolean =>
  status === 'PENDING' && clearance.kind === 'held';

export function listStatusEvents(before: RunState, state: RunState): NewRunEvent[] {
  const { status, reason, pause } = state;
  const events: NewRunEvent[] = [
    {
      type: 'execution.status_changed',
      data: { status, previous: before.status, reason, pauseReason: pause?.reason ?? null },
    },
  ];
  if (status === 'PAUSED' && pause && pause.reason !== 'APPROVAL') {
    const stepKey = pause.index === null ? null : (state.steps[pause.index]?.key ?? null);
    events.push({
      type: 'decision.requested',
      data: { pauseReason: pause.reason, stepKey, choices: PAUSE_ACTIONS[pause.reason] },
    });
  }
  if (isFinished(status)) events.push({ type: 'execution.finished', data: { status, reason } });
  return events;
}

/**
 * Releases the guard keys of a finished run, and removes the run from the queue. Hosts with unresolved unknown results
 * keep their keys.
 */
export async function releaseGuardOfRun(tx: EntityManager, queue: JobQueue, ref: RunRef): Promise<void> {
  const unknown = await rows(
    tx,
    sql<{ hostname: string; port: number }>`with lost as materialized (
        select distinct server_id from host_results
          where execution_id = ${ref.executionId} and status = 'UNKNOWN' and resolution is null)
      select distinct h.hostname, h.port from execution_hosts h join lost on lost.server_id = h.server_id
        where h.execution_id = ${ref.executionId}`,
  );
  await releaseGuardKeys(tx, queue, ref, unknown.flatMap(listHostGuardKeys));
}

export const notifyDrivers = (tx: EntityManager, ref: RunRef): Promise<unknown> =>
  row(tx, sql`select pg_notify(${CHANNELS.executionControl}, ${ref.executionId})`);

async function writeReopenedHosts(tx: EntityManager, ref: RunRef, { reopened }: RunState): Promise<void> {
  if (!reopened || reopened.hosts.length === 0) return;
  await affected(
    tx,
    sql`update host_results set status = 'PENDING', dispatch_id = null, epoch = null, journaled = null, exit_code = null, signal = null,
        code = null, message = null, changed = null, finished_at = null, next_attempt_at = null,
        attempts_before = attempts, answered = false
      where execution_id = ${ref.executionId} and step_index = ${reopened.index} and server_id = any (${reopened.hosts})`,
  );
  await recountHosts(tx, ref, reopened.index);
}

async function writeAnsweredHosts(tx: EntityManager, ref: RunRef, { answered }: RunState): Promise<void> {
  if (!answered || answered.hosts.length === 0) return;
  await affected(
    tx,
    sql`update host_results set answered = true
      where execution_id = ${ref.executionId} and step_index = ${answered.index} and server_id = any (${answered.hosts})`,
  );
}

async function writeSettledHosts(
  tx: EntityManager,
  ref: RunRef,
  state: RunState,
  settled: RunState['settled'][number],
  events: NewRunEvent[],
): Promise<void> {
  const stepKey = state.steps[settled.index]?.key ?? '';
  const entries = Object.entries(settled.hosts);
  const ids = entries.map(([id]) => id);
  const statuses = entries.map(([, status]) => status);
  const codes = entries.map(([, status]) => getSettledReason(status).code);
  const texts = entries.map(([, status]) => getSettledReason(status).message);
  const stored = await rows(
    tx,
    sql<{ server_id: string; message: string | null }>`
      update host_results r set status = x.status, code = x.code, finished_at = now(), next_attempt_at = null,
        message = case when x.status in ('CANCELLED', 'TIMED_OUT') and r.attempts > r.attempts_before
          then ${ENDED_BETWEEN_ATTEMPTS_TEXT} else x.message end
      from unnest(${ids}::uuid[], ${statuses}::text[], ${codes}::text[], ${texts}::text[])
        as x (server_id, status, code, message)
      where r.execution_id = ${ref.executionId} and r.step_index = ${settled.index} and r.server_id = x.server_id
      returning r.server_id, r.message`,
  );
  const messages = new Map(stored.map(({ server_id, message }) => [server_id, message]));
  for (const [serverId, status] of entries) {
    const { code, message } = getSettledReason(status);
    events.push({
      type: 'host.finished',
      data: {
        stepKey,
        serverId,
        status,
        exitCode: null,
        reason: { code, text: messages.get(serverId) ?? message },
      },
    });
  }
  await recountHosts(tx, ref, settled.index);
}

const recountHosts = (tx: EntityManager, ref: RunRef, index: number): Promise<unknown> =>
  affected(
    tx,
    sql`update execution_steps set counts = (select jsonb_object_agg(c.status, c.n) from
        (select status, count(*) as n from host_results
          where execution_id = ${ref.executionId} and step_index = ${index} group by status) c)
      where execution_id = ${ref.executionId} and step_index = ${index}`,
  );

async function writeSteps(
  tx: EntityManager,
  ref: RunRef,
  before: RunState,
  state: RunState,
  events: NewRunEvent[],
): Promise<void> {
  for (const [index, step] of state.steps.entries()) {
    const previous = before.steps[index];
    const same =
      previous?.status === step.status &&
      previous.reason?.text === step.reason?.text &&
      previous.confirmed === step.confirmed;
    if (!previous || same) continue;
    const starts = step.status === 'RUNNING';
    const ends = !starts && step.status !== 'PENDING' && step.status !== 'PAUSED';
    await affected(
      tx,
      sql`update execution_steps set status = ${step.status}, reason = ${step.reason?.text ?? null},
          reason_code = ${step.reason?.code ?? null}, confirmed = ${step.confirmed},
          started_at = case when ${starts} then coalesce(started_at, now()) else started_at end,
          finished_at = case when ${ends} then now() end
        where execution_id = ${ref.executionId} and step_index = ${index}`,
    );
    if (!starts && !ends) continue;
    events.push({
      type: starts ? 'step.started' : 'step.finished',
      data: { stepKey: step.key, status: step.status, reason: step.reason },
    });
  }
  for (const { index, hosts } of state.open) {
    const known = before.open.find((step) => step.index === index)?.hosts;
    const ids = Object.keys(hosts).filter((id) => !known?.[id]);
    if (ids.length > 0) await writeHostsOfStep(tx, ref, index, ids, known === undefined);
  }
}

/** @param first whether the step had no hosts before */
async function writeHostsOfStep(
  tx: EntityManager,
  ref: RunRef,
  index: number,
  ids: readonly string[],
  first: boolean,
): Promise<void> {
  const added = { PENDING: ids.length };
  const counts = first ? sql`${added}::jsonb` : sql`merge_counts(counts, ${added}::jsonb)`;
  await affected(
    tx,
    sql`with come as (
        insert into host_results (tenant_id, execution_id, step_index, server_id, status)
          select ${ref.tenantId}::uuid, ${ref.executionId}::uuid, ${index}::int, id, 'PENDING'
            from unnest(${ids}::uuid[]) as id on conflict do nothing)
      update execution_steps set counts = ${counts} where execution_id = ${ref.executionId} and step_index = ${index}`,
  );
}

async function writeHosts(tx: EntityManager, ref: RunRef, before: RunState, state: RunState): Promise<void> {
  const changed = Object.entries(state.hosts).filter(([id, status]) => before.hosts[id] !== status);
  if (changed.length === 0) return;
  const ids = changed.map(([id]) => id);
  const statuses = changed.map(([, status]) => status);
  const given = sql`unnest(${ids}::uuid[], ${statuses}::text[]) host (server_id, status)`;
  const isSameHost = isHostSql(sql`h`, sql`x`);
  await affected(
    tx,
    sql`with changed as materialized (
        select h.server_id, x.status from ${selectHostPairsSql(ref.executionId, given)} x
          join execution_hosts h on ${isSameHost}
          -- Ordered, because other transactions lock several hosts of the run too: prevents deadlocks.
          order by h.server_id for no key update of h)
      update execution_hosts h set status = x.status
        from ${selectHostPairsSql(ref.executionId, sql`changed`)} x where ${isSameHost}`,
  );
}

const ENDED_BETWEEN_ATTEMPTS_TEXT = 'The run ended before the next attempt on this host. The previous attempt failed.';

function getSettledReason(status: HostStatus): { code: ReasonCode; message: string } {
  if (status === 'CANCELLED')
    return { code: 'cancelled', message: 'The run ended before the command started on this host.' };
  if (status === 'TIMED_OUT') {
    return { code: 'run_timed_out', message: "The run's own time limit passed before the command was started here." };
  }
  if (status === 'SKIPPED')
    return {
      code: 'too_many_failures',
      message: 'More hosts failed than the step allows, so the step did not start on this host.',
    };
  return {
    code: 'result_unknown',
    message: 'The command may have started, but Runward did not see it end. Check the host before you rerun the step.',
  };
}
