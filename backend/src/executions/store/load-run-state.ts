import { stepReason } from '../record/step-reason.js';
import type { EntityManager } from 'typeorm';
import type { Clearance, HostInStep, OpenStep, RunState, StepState } from '../lifecycle/run-state.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import type { RunHead, RunRef } from '../record/run-head.js';
import { policyOf } from '../steps/step-policy.js';
import { targetsOf } from '../steps/step-targets.js';

interface StepRow {
  step_index: number;
  key: string;
  status: StepState['status'];
  reason: string | null;
  reason_code: string | null;
  confirmed: boolean;
  begun: boolean;
}

interface HostRow {
  server_id: string;
  name: string;
  tags: Record<string, string>;
  status: HostStatus;
}

/** Everything that the next decision depends on. */
export async function loadState(
  tx: EntityManager,
  ref: RunRef,
  head: RunHead,
  clearance: Clearance,
): Promise<RunState> {
  const { plan } = head.snapshot;
  const steps = await tx.query<StepRow[]>(
    `select step_index, key, status, reason, reason_code, confirmed, started_at is not null as begun
      from execution_steps where execution_id = $1 order by step_index`,
    [ref.executionId],
  );
  const hosts = await tx.query<HostRow[]>(
    'select server_id, name, tags, status from execution_hosts where execution_id = $1 order by ordinal',
    [ref.executionId],
  );
  const open = steps.filter((step) => step.status === 'RUNNING' || (step.status === 'PAUSED' && step.begun));
  return {
    status: head.status,
    reason: head.status_code ? { code: head.status_code, text: head.status_text ?? '' } : null,
    mode: head.execution_mode,
    strategy: plan.strategy,
    maxFailPercent: plan.maxFailPercent,
    steps: steps.flatMap((row): StepState[] => {
      const step = plan.steps[row.step_index];
      if (!step) return [];
      const { key, status, confirmed } = row;
      const reason = stepReason(row);
      return [
        { key, status, reason, confirmed, targets: targetsOf(step.targets, hosts), policy: policyOf(step, plan) },
      ];
    }),
    hosts: Object.fromEntries(hosts.map((host) => [host.server_id, host.status])),
    open: await openSteps(tx, ref, open),
    reached: plan.strategy === 'free' ? await reachedSteps(tx, ref) : {},
    toleratedFailures: await failedBefore(tx, ref, steps),
    changed: plan.steps.some((step) => step.onlyIfChanged.length > 0) ? await changedHosts(tx, ref, steps) : {},
    done: head.snapshot.inherited ? await doneBefore(tx, ref, steps) : {},
    pause: head.pause_reason && { reason: head.pause_reason, index: head.pause_step, text: head.pause_text },
    pauseRequestedBy: head.pause_requested_by,
    clearance,
    settled: [],
    reopened: null,
    answered: null,
  };
}

/** One that waits for its next attempt was begun: it is not passed over as one whose turn has not come. */
async function openSteps(tx: EntityManager, ref: RunRef, steps: readonly StepRow[]): Promise<OpenStep[]> {
  if (steps.length === 0) return [];
  const rows = await tx.query<
    { step_index: number; server_id: string; status: HostStatus; dispatched: boolean; answered: boolean }[]
  >(
    `select r.step_index, r.server_id, r.dispatch_id is not null as dispatched, r.answered,
        case when r.status = 'PENDING' and r.attempts > r.attempts_before then 'CONNECTING' else r.status end as status
      from host_results r join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
      where r.execution_id = $1 and r.step_index = any ($2) order by h.ordinal`,
    [ref.executionId, steps.map(({ step_index }) => step_index)],
  );
  const hosts = new Map(steps.map(({ step_index }): [number, Record<string, HostInStep>] => [step_index, {}]));
  for (const { step_index, server_id, status, dispatched, answered } of rows)
    Object.assign(hosts.get(step_index) ?? {}, { [server_id]: { status, dispatched, ...(answered && { answered }) } });
  return [...hosts].map(([index, each]) => ({ index, hosts: each }));
}

/** The last step that each host has come to. */
async function reachedSteps(tx: EntityManager, ref: RunRef): Promise<Record<string, number>> {
  const rows = await tx.query<{ server_id: string; reached: number }[]>(
    'select server_id, max(step_index) as reached from host_results where execution_id = $1 group by server_id',
    [ref.executionId],
  );
  return Object.fromEntries(rows.map(({ server_id, reached }) => [server_id, reached]));
}

/** First failures of hosts in steps that are over, of hosts that still take part: a person had them go on. */
async function failedBefore(tx: EntityManager, ref: RunRef, steps: StepRow[]): Promise<Record<string, HostStatus>> {
  const over = steps.filter(({ status }) => status === 'PARTIALLY_SUCCEEDED').map(({ step_index }) => step_index);
  if (over.length === 0) return {};
  const rows = await tx.query<{ server_id: string; status: HostStatus }[]>(
    `select distinct on (r.server_id) r.server_id, r.status
      from host_results r join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
      where r.execution_id = $1 and r.step_index = any ($2) and h.status = 'PENDING'
        and r.status not in ('SUCCEEDED', 'SKIPPED', 'PENDING', 'CONNECTING', 'RUNNING')
      order by r.server_id, r.step_index`,
    [ref.executionId, over],
  );
  return Object.fromEntries(rows.map(({ server_id, status }) => [server_id, status]));
}

async function changedHosts(tx: EntityManager, ref: RunRef, steps: StepRow[]): Promise<Record<string, string[]>> {
  const rows = await tx.query<{ step_index: number; ids: string[] }[]>(
    `select step_index, array_agg(server_id) as ids from (
        select step_index, server_id from host_results where execution_id = $1 and changed
        union select step_index, server_id from inherited_results where execution_id = $1 and changed
      ) r group by step_index`,
    [ref.executionId],
  );
  return Object.fromEntries(rows.map(({ step_index, ids }) => [steps[step_index]?.key ?? '', ids]));
}

/** Hosts that did a step in the run that this one continues, by the step's key. */
async function doneBefore(tx: EntityManager, ref: RunRef, steps: StepRow[]): Promise<Record<string, string[]>> {
  const rows = await tx.query<{ step_index: number; ids: string[] }[]>(
    'select step_index, array_agg(server_id) as ids from inherited_results where execution_id = $1 and done group by step_index',
    [ref.executionId],
  );
  return Object.fromEntries(rows.map(({ step_index, ids }) => [steps[step_index]?.key ?? '', ids]));
}
