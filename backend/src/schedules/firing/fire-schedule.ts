import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import type { RunPreparation } from '../../executions/commands/start/start-execution.js';
import { StartExecution } from '../../executions/commands/start/start-execution.js';
import { PrepareRun } from '../../executions/commands/start/prepare-run.js';
import { toWaitSettings } from '../../executions/commands/start/waiting.js';
import { ScheduleFires } from '../schedule-fires.js';
import { listScheduleRequesters } from '../records/schedule-writers.js';
import { ScheduleVault } from '../records/schedule-vault.js';
import { type DueWork, computeDueWork, MAX_COUNTED_MISSES } from '../timing/due-work.js';
import { type DueScheduleRow, lockDueSchedule, readDueSchedule, retryScheduleLater } from './due-rows.js';
import {
  type FireResult,
  notStartedResult,
  isTemporary,
  toRefusedResult,
  startedResult,
  findWaitingRunResult,
} from './fire-result.js';
import { ScheduleOwner } from './schedule-owner.js';
import { FailureNotifier, getNextReportedCode } from './failure-notifier.js';

/** How long a temporary error is retried before the start counts as refused, in ms. */
const RETRY_LIMIT_MS = 300_000;
const UNEXPECTED_ERROR_TEXT =
  'The start failed because of an internal error. Ask the operator to search the server log.';

/** Another worker fired the schedule, or a member changed it. */
class NotDueError extends Error {}
class NotStartableError extends Error {
  constructor(readonly result: FireResult) {
    super(result.reason?.code);
  }
}

/**
 * Fires a due schedule in one transaction, which stores the run, the outcome and the next time. The transaction locks
 * the schedule and verifies that it is still due. So exactly one worker fires it, and a killed worker leaves nothing
 * half done.
 */
@Injectable()
export class FireSchedule {
  private readonly log = new Logger('Schedules');

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly starts: StartExecution,
    private readonly preparation: PrepareRun,
    private readonly owner: ScheduleOwner,
    private readonly vault: ScheduleVault,
    private readonly fires: ScheduleFires,
    private readonly failures: FailureNotifier,
  ) {}

  /** @throws only if the database is unavailable; the schedule can be claimed again when the claim expires */
  async fire(tenantId: string, id: string): Promise<void> {
    const seen = await this.units.run(tenantId, async (tx) => {
      const due = await readDueSchedule(tx, tenantId, id);
      return due && { due, owner: await this.owner.findOwnerPrincipal(tx, due.schedule) };
    });
    if (!seen) return;
    const { due, owner } = seen;
    const work = computeDueWork(due.schedule, due.now);
    try {
      if (!work.starts) await this.settleFire(due, work, toMissedResult(work));
      else if ('outcome' in owner) await this.settleFire(due, work, owner);
      else await this.start(due, work, owner);
    } catch (error) {
      await this.recordFailedStart(due, work, error);
    }
  }

  private async start(due: DueScheduleRow, work: DueWork, owner: Principal): Promise<void> {
    const { schedule } = due;
    await this.starts.acceptPrepared(owner, schedule.planId, this.createPreparation(due, owner), (tx, executionId) =>
      this.storeResult(tx, due, work, startedResult(executionId)),
    );
  }

  private createPreparation(due: DueScheduleRow, owner: Principal): RunPreparation {
    const { schedule } = due;
    const { tenantId, id, name, note, labels, secretNames, targets, planId, environmentId } = schedule;
    const secrets = this.vault.open(tenantId, id, schedule.sealedVersion, schedule.sealedVariables);
    const request = {
      ...{ planId, environmentId, execution_mode: schedule.executionMode, secretNames },
      variables: { ...schedule.variables, ...secrets },
      ...(targets === '' ? {} : { targets }),
    };
    return async (tx, checked) => {
      if (!(await lockDueSchedule(tx, due))) throw new NotDueError();
      const now = await this.owner.findOwnerPrincipal(tx, schedule);
      if ('outcome' in now) throw new NotStartableError(now);
      const run = await this.preparation.prepareRun(tx, { ...owner, role: now.role }, request, checked);
      const foreign = await this.owner.findUnauthorizedContent(tx, schedule, run);
      if (foreign) throw new NotStartableError(foreign);
      const requesters = await listScheduleRequesters(tx, schedule);
      const mode = schedule.executionMode;
      const waiting = toWaitSettings({ onOverlap: schedule.onOverlap === 'queue' ? 'queue' : 'refuse' }, mode);
      const waits =
        waiting.onOverlap === 'queue' || run.environment.protected
          ? await findWaitingRunResult(tx, tenantId, id)
          : null;
      if (waits) throw new NotStartableError(waits);
      const overrides = { freezeOverride: null, windowOverride: null, acceptAuthors: null };
      const nothing = { parentId: null, fromStep: 0, passedOver: [], inherited: [] };
      return {
        run,
        acceptance: {
          mode,
          note,
          labels,
          waiting,
          ...overrides,
          schedule: { id, name, askers: requesters, vouchedAt: schedule.vouchedAt },
          ...nothing,
        },
      };
    };
  }

  private async recordFailedStart(due: DueScheduleRow, work: DueWork, error: unknown): Promise<void> {
    if (error instanceof NotDueError) return;
    if (isDatabaseUnavailable(error)) throw error;
    if (error instanceof NotStartableError) return this.settleFire(due, work, error.result);
    const { tenantId, id, environmentId } = due.schedule;
    const isTemporaryError = !(error instanceof Problem) || isTemporary(error);
    if (!(error instanceof Problem)) this.log.error(`A schedule could not start its run: ${String(error)}`);
    if (isTemporaryError && due.now.getTime() - (due.schedule.dueAt?.getTime() ?? 0) < RETRY_LIMIT_MS)
      return this.units.run(tenantId, (tx) => retryScheduleLater(tx, tenantId, id));
    if (!(error instanceof Problem))
      return this.settleFire(due, work, notStartedResult('refused', 'internal_error', UNEXPECTED_ERROR_TEXT));
    const result = await this.units.run(tenantId, (tx) => toRefusedResult(tx, { tenantId, environmentId }, error));
    await this.settleFire(due, work, result);
  }

  private settleFire(due: DueScheduleRow, work: DueWork, result: FireResult): Promise<void> {
    return this.units.run(due.schedule.tenantId, async (tx) => {
      if (await lockDueSchedule(tx, due)) await this.storeResult(tx, due, work, result);
    });
  }

  private async storeResult(
    tx: EntityManager,
    { schedule }: DueScheduleRow,
    work: DueWork,
    result: FireResult,
  ): Promise<void> {
    const { tenantId, id } = schedule;
    const { outcome, reason, executionId } = result;
    await this.fires.add(tx, tenantId, id, { ...result, at: work.at, missed: work.missed });
    // A schedule without an owner stays paused until a member takes it over.
    const pause = outcome === 'refused' && schedule.ownerId === null ? reason : null;
    const reportedCode = getNextReportedCode(schedule.toldCode, result);
    await affected(
      tx,
      sql`update schedules set next_at = ${work.nextAt}, due_at = ${work.dueAt}, claimed_until = null,
          last_at = ${work.at}, last_outcome = ${outcome}, last_code = ${reason?.code},
          last_text = ${reason?.text},
          last_execution_id = ${executionId}, enabled = enabled and ${pause?.code}::text is null,
          paused_code = coalesce(${pause?.code}::text, paused_code),
          paused_reason = coalesce(${pause?.text}::text, paused_reason),
          paused_at = case when ${pause?.code}::text is null then paused_at else now() end,
          paused_by = case when ${pause?.code}::text is null then paused_by end,
          paused_by_name = case when ${pause?.code}::text is null then paused_by_name else 'Runward' end,
          told_code = ${reportedCode}
        where tenant_id = ${tenantId} and id = ${id}`,
    );
    const same = schedule.lastOutcome === outcome && schedule.lastCode === (reason?.code ?? null);
    // A started run has its own audit entry. Repeated equal outcomes are only in the list of fires.
    if (outcome !== 'started' && !same)
      await this.notifyFailure(tx, schedule, 'schedule.not_started', { at: work.at, outcome, reason });
    if (pause !== null) await this.notifyFailure(tx, schedule, 'schedule.pause', { reason: pause });
    if (reportedCode !== null && reportedCode !== schedule.toldCode)
      await this.failures.notify(tx, schedule, { ...result, at: work.at, paused: pause !== null });
  }

  private notifyFailure(
    tx: EntityManager,
    { tenantId, id, name }: DueScheduleRow['schedule'],
    action: AuditActionName,
    after: object,
  ): Promise<void> {
    return this.audit.record(
      tx,
      { kind: 'system', tenantId, name: 'schedules' },
      { action, resourceId: id, resourceName: name, after },
    );
  }
}

function toMissedResult({ missed }: DueWork): FireResult {
  const count =
    missed >= MAX_COUNTED_MISSES
      ? `${MAX_COUNTED_MISSES} or more times`
      : missed === 0
        ? 'This time'
        : `${missed + 1} times`;
  return notStartedResult('missed', 'missed', `${count} passed while no worker was available.`);
}
