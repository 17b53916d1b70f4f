import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditActor, AuditTrail } from '../audit/audit-trail.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { CHANNELS } from '../common/notify/notifications.js';
import { JobQueue } from '../common/queue/job-queue.js';
import { type Decision, decide } from './lifecycle/decide.js';
import type { RunEvent } from './lifecycle/run-event.js';
import type { HostInStep, RunState, StepState } from './lifecycle/run-state.js';
import { type ExecutionStatus, type HostStatus, isFinished } from './lifecycle/statuses.js';
import { targetsOf } from './steps/step-targets.js';
import { appendEvents, type NewRunEvent } from './output/run-events.js';
import type { Snapshot } from './execution-row.js';

/** Which run. */
export interface RunRef {
  tenantId: string;
  executionId: string;
}

/** Who drives a run and since which take-over: each write of a worker carries it (design: engine.md, Claim). */
export interface Fence {
  owner: string;
  epoch: number;
}

/** The run is no longer this worker's: it stops, detaches, and kills nothing. */
export class OwnershipLost extends Error {
  constructor() {
    super('The run has another owner.');
    this.name = 'OwnershipLost';
  }
}

interface RunHead {
  status: ExecutionStatus;
  status_code: string | null;
  status_text: string | null;
  snapshot: Snapshot;
  plan_name: string;
  owner: string | null;
  epoch: number;
}

interface StoredHost {
  server_id: string;
  name: string;
  tags: Record<string, string>;
  status: HostStatus;
}

/** Loads a run's state and commits decisions: status, steps, results, guard, events, audit and jobs in one transaction. */
@Injectable()
export class RunStore {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
  ) {}

  /** Decides on one event in a transaction of its own. @throws OwnershipLost when the fence no longer holds */
  transition(ref: RunRef, fence: Fence | null, actor: AuditActor, event: RunEvent): Promise<Decision> {
    return this.units.run(ref.tenantId, (tx) => this.transitionIn(tx, ref, fence, actor, event));
  }

  /** Like `transition`, inside a transaction of the caller's. */
  async transitionIn(
    tx: EntityManager,
    ref: RunRef,
    fence: Fence | null,
    actor: AuditActor,
    event: RunEvent,
  ): Promise<Decision> {
    const [head] = await tx.query<RunHead[]>(
      `select status, status_code, status_text, snapshot, plan_name, owner, epoch from executions
        where tenant_id = $1 and id = $2 for update`,
      [ref.tenantId, ref.executionId],
    );
    if (!head || (fence && (head.owner !== fence.owner || head.epoch !== fence.epoch))) throw new OwnershipLost();
    const before = await this.load(tx, ref, head);
    const decision = decide(before, event);
    if (decision.state !== before) await this.commit(tx, ref, head, before, decision, actor);
    return decision;
  }

  private async load(tx: EntityManager, ref: RunRef, head: RunHead): Promise<RunState> {
    const steps = await tx.query<
      { step_index: number; key: string; status: StepState['status']; reason: string | null }[]
    >('select step_index, key, status, reason from execution_steps where execution_id = $1 order by step_index', [
      ref.executionId,
    ]);
    const hosts = await tx.query<StoredHost[]>(
      'select server_id, name, tags, status from execution_hosts where execution_id = $1 order by ordinal',
      [ref.executionId],
    );
    const running = steps.find((step) => step.status === 'RUNNING');
    const results = running
      ? await tx.query<{ server_id: string; status: HostStatus; dispatched: boolean }[]>(
          'select server_id, status, dispatch_id is not null as dispatched from host_results where execution_id = $1 and step_index = $2',
          [ref.executionId, running.step_index],
        )
      : [];
    return {
      status: head.status,
      reason: head.status_code ? { code: head.status_code, text: head.status_text ?? '' } : null,
      steps: steps.map((step) => ({
        key: step.key,
        status: step.status,
        reason: step.reason,
        targets: targetsOf(head.snapshot.plan.steps[step.step_index]?.targets ?? '', hosts),
      })),
      hosts: Object.fromEntries(hosts.map((host) => [host.server_id, host.status])),
      current: running
        ? {
            index: running.step_index,
            hosts: Object.fromEntries(
              results.map((row): [string, HostInStep] => [
                row.server_id,
                { status: row.status, dispatched: row.dispatched },
              ]),
            ),
          }
        : null,
      settled: null,
    };
  }

  private async commit(
    tx: EntityManager,
    ref: RunRef,
    head: RunHead,
    before: RunState,
    decision: Decision,
    actor: AuditActor,
  ): Promise<void> {
    const { state } = decision;
    const events: NewRunEvent[] = [];
    await this.writeSettled(tx, ref, state, events);
    await this.writeSteps(tx, ref, before, state, events);
    await this.writeHosts(tx, ref, before, state);
    const changed = before.status !== state.status;
    const finished = isFinished(state.status);
    await tx.query(
      `update executions set status = $2, status_code = $3, status_text = $4,
          started_at = case when $5 then coalesce(started_at, now()) else started_at end,
          finished_at = case when $6 then now() end
        where id = $1`,
      [
        ref.executionId,
        state.status,
        state.reason?.code ?? null,
        state.reason?.text ?? null,
        state.status === 'RUNNING',
        finished,
      ],
    );
    if (changed) {
      events.push({
        type: 'execution.status_changed',
        data: { status: state.status, previous: before.status, reason: state.reason },
      });
      if (finished) events.push({ type: 'execution.finished', data: { status: state.status, reason: state.reason } });
      await this.audit.record(tx, actor, {
        action: `execution.${state.status.toLowerCase()}`,
        resourceType: 'execution',
        resourceId: ref.executionId,
        resourceName: head.plan_name,
        before: { status: before.status },
        after: { status: state.status, reason: state.reason },
      });
    }
    if (finished)
      await tx.query('delete from guard_keys where tenant_id = $1 and execution_id = $2', [
        ref.tenantId,
        ref.executionId,
      ]);
    await appendEvents(tx, ref, events);
    if (state.status === 'CANCELLING') {
      // Whoever drives the run hears of it at once; if nobody does any more, the next owner finds it.
      await tx.query('select pg_notify($1, $2)', [CHANNELS.executionControl, ref.executionId]);
      await this.queue.ringAdvanceRun(tx, ref);
    }
  }

  private async writeSettled(tx: EntityManager, ref: RunRef, state: RunState, events: NewRunEvent[]): Promise<void> {
    if (!state.settled) return;
    const stepKey = state.steps[state.settled.index]?.key ?? '';
    const entries = Object.entries(state.settled.hosts);
    await tx.query(
      `update host_results r set status = x.status, code = x.code, message = x.message, finished_at = now()
        from unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) as x (server_id, status, code, message)
        where r.execution_id = $1 and r.step_index = $2 and r.server_id = x.server_id`,
      [
        ref.executionId,
        state.settled.index,
        entries.map(([id]) => id),
        entries.map(([, status]) => status),
        entries.map(([, status]) => settledText(status).code),
        entries.map(([, status]) => settledText(status).message),
      ],
    );
    for (const [serverId, status] of entries) {
      events.push({
        type: 'host.finished',
        data: { stepKey, serverId, status, exitCode: null, ...settledText(status) },
      });
    }
    await tx.query(
      `update execution_steps set counts = (select jsonb_object_agg(c.status, c.n) from
          (select status, count(*) as n from host_results where execution_id = $1 and step_index = $2 group by status) c)
        where execution_id = $1 and step_index = $2`,
      [ref.executionId, state.settled.index],
    );
  }

  private async writeSteps(
    tx: EntityManager,
    ref: RunRef,
    before: RunState,
    state: RunState,
    events: NewRunEvent[],
  ): Promise<void> {
    for (const [index, step] of state.steps.entries()) {
      const previous = before.steps[index];
      if (!previous || (previous.status === step.status && previous.reason === step.reason)) continue;
      const starts = step.status === 'RUNNING';
      await tx.query(
        `update execution_steps set status = $3, reason = $4,
            started_at = case when $5 then now() else started_at end,
            finished_at = case when $5 then null else now() end
          where execution_id = $1 and step_index = $2`,
        [ref.executionId, index, step.status, step.reason, starts],
      );
      events.push({
        type: starts ? 'step.started' : 'step.finished',
        data: { stepKey: step.key, status: step.status, reason: step.reason },
      });
    }
    const { current } = state;
    if (!current || before.current?.index === current.index) return;
    const ids = Object.keys(current.hosts);
    await tx.query(
      `insert into host_results (tenant_id, execution_id, step_index, server_id, status)
        select $1, $2, $3, id, 'PENDING' from unnest($4::uuid[]) as id on conflict do nothing`,
      [ref.tenantId, ref.executionId, current.index, ids],
    );
    await tx.query('update execution_steps set counts = $3 where execution_id = $1 and step_index = $2', [
      ref.executionId,
      current.index,
      { PENDING: ids.length },
    ]);
  }

  private async writeHosts(tx: EntityManager, ref: RunRef, before: RunState, state: RunState): Promise<void> {
    const changed = Object.entries(state.hosts).filter(([id, status]) => before.hosts[id] !== status);
    if (changed.length === 0) return;
    await tx.query(
      `update execution_hosts h set status = x.status from unnest($2::uuid[], $3::text[]) as x (server_id, status)
        where h.execution_id = $1 and h.server_id = x.server_id`,
      [ref.executionId, changed.map(([id]) => id), changed.map(([, status]) => status)],
    );
  }
}

function settledText(status: HostStatus): { code: string; message: string } {
  if (status === 'CANCELLED')
    return { code: 'cancelled', message: 'The run was ended before the command was started here.' };
  if (status === 'TIMED_OUT') {
    return { code: 'run_timed_out', message: "The run's own time limit passed before the command was started here." };
  }
  return {
    code: 'result_unknown',
    message:
      'The command may have been started, and its end was not observed. Look on the host before you run it again.',
  };
}
