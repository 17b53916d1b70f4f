import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest, notFound } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import type { CheckHostJob } from '../../common/queue/queue-names.js';
import type { ResolveAction, ResolveHostRequest } from '../contract/steering.dto.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { RESOLUTIONS } from '../contract/results.view.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { isFinished } from '../lifecycle/statuses.js';
import { appendEvents } from '../output/run-events.js';
import { releaseGuardOfRun } from '../store/save-run-state.js';
import type { RunRef } from '../record/run-head.js';
import { RerunExecution } from './start/rerun-execution.js';
import { StartExecution } from './start/start-execution.js';
import { IMMEDIATE_START } from './start/waiting.js';
import { type SteeredRun, SteeredRuns } from './steered-run.js';

const RESOLUTION_BY_ACTION: Record<Exclude<ResolveAction, 'check'>, (typeof RESOLUTIONS)[number]> = {
  mark_succeeded: 'marked_succeeded',
  mark_failed: 'marked_failed',
  skip: 'skipped',
  run_again: 'run_again',
};

/** Resolves the unknown result of a host. Releases the host's guard, but does not change the status of the run. */
@Injectable()
export class ResolveHost {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
    private readonly runs: SteeredRuns,
    private readonly executions: ExecutionsReader,
    private readonly starts: StartExecution,
    private readonly reruns: RerunExecution,
  ) {}

  /**
   * @returns the run; for `run_again` the new run
   * @throws Problem 400 for an unknown step; 404, also for a server that is not a host of the run; 403
   *   `grant_required`; 409 `not_finished`, `nothing_to_resolve`
   */
  async resolveHost(
    caller: Principal,
    id: string,
    serverId: string,
    request: ResolveHostRequest,
  ): Promise<ExecutionView> {
    if (request.action === 'run_again') return this.rerunHost(caller, id, serverId, request);
    return this.units.run(caller.tenantId, async (tx) => {
      const run = await this.runs.getLocked(tx, caller, id);
      const stepIndex = await this.requireUnknownHostResult(tx, run, serverId, request.stepKey);
      if (request.action === 'check') {
        await this.requestHostCheck(tx, caller, { ...run.ref, stepIndex, serverId });
        await this.recordAudit(tx, caller, run, serverId, request);
      } else {
        await this.markHostResult(tx, caller, run, { serverId, stepIndex, request });
      }
      return this.executions.getInTransaction(tx, caller, id);
    });
  }

  private async requestHostCheck(tx: EntityManager, caller: Principal, job: CheckHostJob): Promise<void> {
    await affected(
      tx,
      sql`update host_results set check_asked_at = now(), check_asked_by = ${caller.name},
            check_asked_by_id = ${caller.userId}
        where execution_id = ${job.executionId} and step_index = ${job.stepIndex} and server_id = ${job.serverId}`,
    );
    await this.queue.enqueueHostCheck(tx, job);
    // Notifies clients that the host is now being checked.
    await appendEvents(tx, job, []);
  }

  private rerunHost(
    caller: Principal,
    id: string,
    serverId: string,
    request: ResolveHostRequest,
  ): Promise<ExecutionView> {
    return this.units
      .run(caller.tenantId, (tx) => this.executions.getVisibleRun(tx, caller, id))
      .then((parent) =>
        this.starts.startPrepared(caller, parent.plan_id, async (tx) => {
          const steered = await this.runs.getLocked(tx, caller, id);
          const fromStep = await this.requireUnknownHostResult(tx, steered, serverId, request.stepKey);
          await this.markHostResult(tx, caller, steered, { serverId, stepIndex: fromStep, request });
          const mode = parent.execution_mode;
          const { run, ...taken } = await this.reruns.prepareRerunOnHost(tx, caller, parent, { serverId, fromStep });
          const { passedOver, inherited } = taken;
          const acceptance = {
            mode,
            note: request.comment ?? null,
            labels: parent.labels,
            waiting: IMMEDIATE_START,
            freezeOverride: null,
            windowOverride: null,
            acceptAuthors: null,
            schedule: null,
            parentId: id,
            fromStep,
            passedOver,
            inherited,
          };
          return { run, acceptance };
        }),
      );
  }

  private async markHostResult(
    tx: EntityManager,
    caller: Principal,
    run: SteeredRun,
    { serverId, stepIndex, request }: { serverId: string; stepIndex: number; request: ResolveHostRequest },
  ): Promise<void> {
    if (request.action === 'check') return;
    const { ref } = run;
    await affected(
      tx,
      sql`update host_results
        set resolution = ${RESOLUTION_BY_ACTION[request.action]}, resolution_comment = ${request.comment ?? null},
          resolved_by = ${caller.userId}, resolved_by_name = ${caller.name}, resolved_at = now()
        where execution_id = ${ref.executionId} and step_index = ${stepIndex} and server_id = ${serverId}`,
    );
    await releaseGuardOfRun(tx, this.queue, ref);
    const { stepKey, action, comment = null } = request;
    await appendEvents(tx, ref, [
      {
        type: 'host.resolved',
        data: {
          stepKey,
          serverId,
          resolution: RESOLUTION_BY_ACTION[action],
          comment,
          user: { id: caller.userId, name: caller.name },
        },
      },
    ]);
    await this.recordAudit(tx, caller, run, serverId, request);
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    { ref, head }: SteeredRun,
    serverId: string,
    { action, stepKey, comment }: ResolveHostRequest,
  ): Promise<void> {
    return this.audit.record(tx, caller, {
      action: 'execution.resolve_host',
      resourceId: ref.executionId,
      resourceName: head.plan_name,
      after: { action, serverId, stepKey, comment: comment ?? null },
    });
  }

  private async requireUnknownHostResult(
    tx: EntityManager,
    { ref, head }: { ref: RunRef; head: SteeredRun['head'] },
    serverId: string,
    stepKey: string,
  ): Promise<number> {
    const host = isId(serverId)
      ? await row(
          tx,
          sql`select 1 from execution_hosts where execution_id = ${ref.executionId} and server_id = ${serverId}`,
        )
      : undefined;
    if (!host) throw notFound();
    const keys = head.snapshot.plan.steps.map(({ key }) => key);
    const index = keys.indexOf(stepKey);
    if (index < 0) {
      const message = `The plan has no step "${stepKey}". Its steps are ${keys.join(', ')}.`;
      throw invalidRequest([{ path: '/stepKey', code: 'unknown_step', message }]);
    }
    if (!isFinished(head.status))
      throw conflict('not_finished', `The run is ${head.status}: answer its pause, wait for its end, or cancel it.`);
    const result = await row(
      tx,
      sql<{ status: string; resolution: string | null }>`
        select status, resolution from host_results
          where execution_id = ${ref.executionId} and step_index = ${index} and server_id = ${serverId}`,
    );
    if (result?.status === 'UNKNOWN' && result.resolution === null) return index;
    const why = result?.status === 'UNKNOWN' ? 'was already resolved' : 'is known';
    throw conflict('nothing_to_resolve', `The result of step "${stepKey}" on this host ${why}.`);
  }
}
