import { type Reason, toReason } from '../../common/http/reason.view.js';
import { toStepReason } from '../record/execution-row.js';
import type { EntityManager } from 'typeorm';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import {
  type RunAdmission,
  ADMITTED,
  type RunClearance,
  type HostInStep,
  type OpenStep,
  type RunState,
  type StepState,
} from '../lifecycle/run-state.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import type { RunHead, RunRef } from '../record/run-head.js';
import { toStepPolicy } from '../steps/step-policy.js';
import { listTargetIds } from '../steps/step-targets.js';

const OPEN_HOST_STATUSES: ReadonlySet<string> = new Set(['PENDING', 'CONNECTING', 'RUNNING']);

interface StepRow {
  step_index: number;
  key: string;
  status: StepState['status'];
  reason: string | null;
  reason_code: Reason['code'] | null;
  confirmed: boolean;
  begun: boolean;
  counts: Record<string, number>;
}

interface HostRow {
  server_id: string;
  name: string;
  tags: Record<string, string>;
  status: HostStatus;
}

/** Statuses of a host that do not affect decisions about other hosts. */
const HARMLESS_STATUSES: ReadonlySet<string> = new Set([...OPEN_HOST_STATUSES, 'SUCCEEDED', 'SKIPPED']);

export async function loadRunState(
  tx: EntityManager,
  ref: RunRef,
  head: RunHead,
  looked: { clearance: RunClearance; admission: RunAdmission },
): Promise<RunState> {
  return buildRunState(tx, ref, head, looked, { steps: await loadStepRows(tx, ref), ids: null });
}

/**
 * Loads the state of only some hosts that advance independently, which is cheaper than loading all hosts for each move.
 * @returns null if the decision depends on other hosts: a host has failed, or a step may be finished
 */
export async function loadStateOfHosts(
  tx: EntityManager,
  ref: RunRef,
  head: RunHead,
  clearance: RunClearance,
  ids: readonly string[],
): Promise<RunState | null> {
  if (head.status !== 'RUNNING' || head.pause_requested_by !== null || clearance.kind !== 'clear') return null;
  const steps = await loadStepRows(tx, ref);
  const [first, ...others] = listOpenSteps(steps);
  if (!first) return null;
  const hasOnlyHarmlessHosts = [first, ...others].every(
    ({ status, counts }) =>
      status === 'RUNNING' && getPresentStatuses(counts).every((each) => HARMLESS_STATUSES.has(each)),
  );
  // Steps end in order, so no open step is finished while the first one is not.
  const isBusy = getPresentStatuses(first.counts).some((each) => OPEN_HOST_STATUSES.has(each));
  if (!hasOnlyHarmlessHosts || !isBusy) return null;
  return { ...(await buildRunState(tx, ref, head, { clearance, admission: ADMITTED }, { steps, ids })), partial: true };
}

const getPresentStatuses = (counts: Record<string, number>): string[] =>
  Object.entries(counts).flatMap(([status, n]) => (n > 0 ? [status] : []));

const listOpenSteps = (steps: readonly StepRow[]): StepRow[] =>
  steps.filter((step) => step.status === 'RUNNING' || (step.status === 'PAUSED' && step.begun));

const loadStepRows = (tx: EntityManager, ref: RunRef): Promise<StepRow[]> =>
  rows(
    tx,
    sql<StepRow>`select step_index, key, status, reason, reason_code, confirmed, started_at is not null as begun, counts
      from execution_steps where execution_id = ${ref.executionId} order by step_index`,
  );

/** @param of `ids`: hosts to load; null = all */
async function buildRunState(
  tx: EntityManager,
  ref: RunRef,
  head: RunHead,
  { clearance, admission }: { clearance: RunClearance; admission: RunAdmission },
  { steps, ids }: { steps: StepRow[]; ids: readonly string[] | null },
): Promise<RunState> {
  const { plan } = head.snapshot;
  const hosts = await rows(
    tx,
    sql<HostRow>`select server_id, name, tags, status from execution_hosts
      where execution_id = ${ref.executionId}${isAmongServersSql(ids)} order by ordinal`,
  );
  const open = listOpenSteps(steps);
  return {
    status: head.status,
    reason: toReason(head.status_code, head.status_text),
    mode: head.execution_mode,
    strategy: plan.strategy,
    maxFailPercent: plan.maxFailPercent,
    steps: steps.flatMap((row): StepState[] => {
      const step = plan.steps[row.step_index];
      if (!step) return [];
      const { key, status, confirmed } = row;
      const reason = toStepReason(row);
      return [
        {
          key,
          status,
          reason,
          confirmed,
          targets: listTargetIds(step.targets, hosts),
          policy: toStepPolicy(step, plan),
        },
      ];
    }),
    hosts: Object.fromEntries(hosts.map((host) => [host.server_id, host.status])),
    open: await loadOpenSteps(tx, ref, open, hosts, ids),
    reached: plan.strategy === 'free' ? await loadLastReachedSteps(tx, ref, steps, ids) : {},
    // Only the end of the run needs these, and partial states never end a run.
    toleratedFailures: ids ? {} : await loadEarlierFailures(tx, ref, steps),
    changed: plan.steps.some((step) => step.onlyIfChanged.length > 0)
      ? await loadChangedHosts(tx, ref, steps, ids)
      : {},
    done: head.snapshot.inherited ? await loadInheritedSteps(tx, ref, steps, ids) : {},
    pause: head.pause_reason && { reason: head.pause_reason, index: head.pause_step, text: head.pause_text },
    pauseRequestedBy:
      head.pause_requested_by === null ? null : { id: head.pause_requested_by_id, name: head.pause_requested_by },
    clearance,
    admission,
    settled: [],
    reopened: null,
    answered: null,
  };
}

/** SQL: `and` with a condition that limits the column `server_id` to these hosts; nothing for null = all hosts. */
const isAmongServersSql = (ids: readonly string[] | null): Sql => (ids ? sql` and server_id = any (${ids})` : sql.none);

/** Returns the open steps with their hosts. A host that waits for its next attempt counts as started. */
async function loadOpenSteps(
  tx: EntityManager,
  ref: RunRef,
  steps: readonly StepRow[],
  order: readonly HostRow[],
  ids: readonly string[] | null,
): Promise<OpenStep[]> {
  if (steps.length === 0) return [];
  const found = await rows(
    tx,
    sql<{ step_index: number; server_id: string; status: HostStatus; dispatched: boolean; answered: boolean }>`
      select step_index, server_id, dispatch_id is not null as dispatched, answered,
        case when status = 'PENDING' and attempts > attempts_before then 'CONNECTING' else status end as status
      from host_results
      where execution_id = ${ref.executionId} and step_index = any (${listStepIndexes(steps)})${isAmongServersSql(ids)}`,
  );
  // Sorted here, not in SQL: right after a start, the planner has no statistics about the new rows, and would choose a
  // slow join.
  const known = new Map(steps.map(({ step_index }) => [step_index, new Map<string, HostInStep>()]));
  for (const { step_index, server_id, status, dispatched, answered } of found)
    known.get(step_index)?.set(server_id, { status, dispatched, ...(answered && { answered }) });
  return [...known].map(([index, each]) => ({
    index,
    hosts: Object.fromEntries(
      order.flatMap(({ server_id: id }) => {
        const host = each.get(id);
        return host ? [[id, host] as const] : [];
      }),
    ),
  }));
}

const listStepIndexes = (steps: readonly StepRow[]): number[] => steps.map(({ step_index }) => step_index);

async function loadLastReachedSteps(
  tx: EntityManager,
  ref: RunRef,
  steps: readonly StepRow[],
  ids: readonly string[] | null,
): Promise<Record<string, number>> {
  const found = await rows(
    tx,
    sql<{ server_id: string; reached: number }>`select server_id, max(step_index) as reached from host_results
      where execution_id = ${ref.executionId} and step_index = any (${listStepIndexes(steps)})${isAmongServersSql(ids)} group by server_id`,
  );
  return Object.fromEntries(found.map(({ server_id, reached }) => [server_id, reached]));
}

/**
 * Returns the first failure of each host in finished steps, if the host still takes part because a person continued the
 * run.
 */
async function loadEarlierFailures(
  tx: EntityManager,
  ref: RunRef,
  steps: StepRow[],
): Promise<Record<string, HostStatus>> {
  const over = steps.filter(({ status }) => status === 'PARTIALLY_SUCCEEDED').map(({ step_index }) => step_index);
  if (over.length === 0) return {};
  const found = await rows(
    tx,
    sql<{ server_id: string; status: HostStatus }>`select distinct on (r.server_id) r.server_id, r.status
      from host_results r join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
      where r.execution_id = ${ref.executionId} and r.step_index = any (${over}) and h.status = 'PENDING'
        and r.status not in ('SUCCEEDED', 'SKIPPED', 'PENDING', 'CONNECTING', 'RUNNING')
      order by r.server_id, r.step_index`,
  );
  return Object.fromEntries(found.map(({ server_id, status }) => [server_id, status]));
}

async function loadChangedHosts(
  tx: EntityManager,
  ref: RunRef,
  steps: readonly StepRow[],
  ids: readonly string[] | null,
): Promise<Record<string, string[]>> {
  const changed = sql`execution_id = ${ref.executionId} and step_index = any (${listStepIndexes(steps)}) and changed${isAmongServersSql(ids)}`;
  const found = await rows(
    tx,
    sql<{ step_index: number; ids: string[] }>`select step_index, array_agg(server_id) as ids from (
        select step_index, server_id from host_results where ${changed}
        union select step_index, server_id from inherited_results where ${changed}
      ) r group by step_index`,
  );
  return Object.fromEntries(found.map(({ step_index, ids }) => [steps[step_index]?.key ?? '', ids]));
}

async function loadInheritedSteps(
  tx: EntityManager,
  ref: RunRef,
  steps: readonly StepRow[],
  ids: readonly string[] | null,
): Promise<Record<string, string[]>> {
  const found = await rows(
    tx,
    sql<{ step_index: number; ids: string[] }>`select step_index, array_agg(server_id) as ids from inherited_results
      where execution_id = ${ref.executionId} and done${isAmongServersSql(ids)} group by step_index`,
  );
  return Object.fromEntries(found.map(({ step_index, ids }) => [steps[step_index]?.key ?? '', ids]));
}
