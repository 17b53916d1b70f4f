import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../../audit/audit-trail.js';
import { isDatabaseUnavailable } from '../../../common/database/database-problem.js';
import { affected, row, sql } from '../../../common/database/sql.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { JobQueue } from '../../../common/queue/job-queue.js';
import { type JobHandler, WorkerProvider } from '../../../common/queue/job-handler.js';
import { type CheckHostJob, QUEUES } from '../../../common/queue/queue-names.js';
import { RUNTIME, type Runtime } from '../../../common/settings/runtime.js';
import { createDeadlineSignal, waitAtMost } from '../../../transport/listening-time.js';
import type { CheckFinding as Finding } from '../../record/host-check-row.js';
import type { RESOLUTIONS } from '../../contract/results.view.js';
import { appendEvents } from '../../output/run-events.js';
import { HostReachabilityFactory } from '../connections/run-reach.js';
import { releaseGuardOfRun } from '../../store/save-run-state.js';
import { isFinished } from '../../lifecycle/statuses.js';
import { lockHead } from '../../record/run-head.js';
import { commandToOutcome } from '../progress/host-outcome.js';
import { toStepRules, toStartingStep } from '../../steps/step-command.js';
import type { StepRules } from '../../steps/types/run-step-type.js';
import { JournalEntries } from '../connections/journal-entries.js';
import { toRunGeneration } from '../lease/lease-rows.js';
import { queryJournal, type JournalAnswer } from './inquire.js';
import { RunConnections } from '../connections/run-connections.js';
import { RunContextLoader } from '../connections/run-context.js';

const CHECK_TIMEOUT_MS = 60_000;
/** Time to wait for the end of a command that was found on the host, in ms. After it, the command counts as running. */
const END_TIMEOUT_MS = 10_000;

interface CheckFinding {
  finding: Finding;
  exitCode: number | null;
  message: string;
}

const toCheckFinding = (
  finding: CheckFinding['finding'],
  message: string,
  exitCode: number | null = null,
): CheckFinding => ({
  finding,
  message,
  exitCode,
});

const RESOLUTION_BY_FINDING: Partial<Record<CheckFinding['finding'], (typeof RESOLUTIONS)[number]>> = {
  succeeded: 'found_succeeded',
  failed: 'found_failed',
};

/** Asks a host for the unknown result of a command, when a person requests it. */
@WorkerProvider()
@Injectable()
export class HostCheck implements JobHandler<'check-host'> {
  readonly queue = QUEUES.checkHost;
  /** A person waits for the answer. */
  readonly concurrency = 4;
  readonly drainMs = 0;
  private readonly log = new Logger('Check');

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly contexts: RunContextLoader,
    private readonly reaches: HostReachabilityFactory,
    private readonly jobs: JobQueue,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** Does nothing when the result is already known or settled. */
  async handle(job: CheckHostJob): Promise<void> {
    const unresolvedRow = await this.units.run(job.tenantId, (tx) => loadUnresolvedHost(tx, job));
    if (!unresolvedRow) return;
    await this.storeFinding(job, unresolvedRow, await this.findUnlessTimedOut(job, unresolvedRow));
  }

  /** @throws Error when the database is unavailable; the queue then retries the job */
  private async findUnlessTimedOut(job: CheckHostJob, unresolvedRow: UnresolvedHost): Promise<CheckFinding> {
    try {
      return await this.queryHost(job, unresolvedRow);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.log.error(
        `Asking a host for the result of its command failed: ${error instanceof Error ? error.stack : String(error)}`,
      );
      return toCheckFinding(
        'check_failed',
        'Internal error while asking the host: see the log of the worker. Check the host yourself.',
      );
    }
  }

  private async queryHost(job: CheckHostJob, unresolvedRow: UnresolvedHost): Promise<CheckFinding> {
    // Does not ask: the command ran without a journal, so a host that can keep one now would wrongly answer "never
    // started".
    if (unresolvedRow.unjournaled) return toCheckFinding('journal_gone', UNJOURNALED_TEXT);
    const runContext = await this.contexts.loadContext(job, [job.serverId]);
    const host = runContext.hosts.get(job.serverId);
    const step = runContext.steps[job.stepIndex];
    const starting = step && toStartingStep(step);
    if (!host || !starting) throw new Error('The host or step of the command is not part of the run.');
    const connections = new RunConnections(runContext, this.reaches.createForRun(job, runContext));
    const deadline = createDeadlineSignal(CHECK_TIMEOUT_MS);
    const late = deadline.signal;
    try {
      const connection = await connections.getConnection(host, late);
      if (!('exec' in connection)) {
        return toCheckFinding('not_reached', connection.message ?? 'The host cannot be reached.');
      }
      // Higher than all generations of the run's workers, so that nothing of the run can start on the host any more.
      const generation = toRunGeneration(unresolvedRow.epoch + 1);
      const journal = new JournalEntries(
        job.executionId,
        runContext.speaker,
        generation,
        this.runtime.settings.outputLimitBytes,
      );
      const inquiryResult = await queryJournal(
        connection,
        {
          journal: journal.toJournalEntry(job.stepIndex, job.serverId, unresolvedRow.dispatch_id),
          acknowledged: () => unresolvedRow.acknowledged,
          intentAt: unresolvedRow.intentAt,
        },
        { onOutput: () => undefined, signal: late, execTimeoutMs: CHECK_TIMEOUT_MS / 2 },
      );
      return await toFindingOfInquiry(inquiryResult, toStepRules(starting));
    } finally {
      deadline.cancel();
      connections.closeAll();
    }
  }

  private storeFinding(
    job: CheckHostJob,
    unresolvedRow: UnresolvedHost,
    { finding, exitCode, message }: CheckFinding,
  ): Promise<void> {
    return this.units.run(job.tenantId, async (tx) => {
      const head = await lockHead(tx, job);
      const now = await loadUnresolvedHost(tx, job);
      if (!head || now?.dispatch_id !== unresolvedRow.dispatch_id) return;
      const stepKey = head.snapshot.plan.steps[job.stepIndex]?.key ?? '';
      const resolution = RESOLUTION_BY_FINDING[finding] ?? null;
      await affected(
        tx,
        sql`update host_results set checked_at = clock_timestamp(), check_finding = ${finding}, check_message = ${message},
            exit_code = coalesce(${exitCode}, exit_code), resolution = ${resolution},
            resolution_comment = case when ${resolution}::text is null then null else ${message} end,
            resolved_at = case when ${resolution}::text is null then null else now() end
          where execution_id = ${job.executionId} and step_index = ${job.stepIndex} and server_id = ${job.serverId}`,
      );
      await this.audit.record(
        tx,
        { kind: 'system', tenantId: job.tenantId, name: 'engine' },
        {
          action: 'execution.host_checked',
          resourceId: job.executionId,
          resourceName: head.plan_name,
          after: { serverId: job.serverId, stepKey, finding, resolution, message },
        },
      );
      if (resolution && isFinished(head.status)) await releaseGuardOfRun(tx, this.jobs, job);
      const data = { stepKey, serverId: job.serverId, resolution, comment: message, user: null };
      await appendEvents(tx, job, resolution ? [{ type: 'host.resolved', data }] : []);
    });
  }
}

const UNJOURNALED_TEXT =
  'The command was started without a journal, so the host does not know its result. Check the host, then resolve the result.';

interface UnresolvedHost {
  dispatch_id: string;
  unjournaled: boolean;
  acknowledged: boolean;
  epoch: number;
  /**
   * Storage time of the intent to start, in terms of `performance.now` of this process. It may be too early, but never
   * too late; null: unknown.
   */
  intentAt: number | null;
}

async function loadUnresolvedHost(tx: EntityManager, job: CheckHostJob): Promise<UnresolvedHost | null> {
  const askedAt = performance.now();
  // The cast of the ID tells the checker that it is not null: the last condition excludes null.
  const stored = await row(
    tx,
    sql<Omit<UnresolvedHost, 'intentAt'> & { intent_for_ms: number | null }>`
      select r.dispatch_id::text as dispatch_id, r.journaled is true as acknowledged, r.journaled is false as unjournaled, e.epoch,
        (extract(epoch from clock_timestamp() - d.at) * 1000)::float8 as intent_for_ms
      from host_results r join executions e on e.id = r.execution_id left join dispatches d on d.dispatch_id = r.dispatch_id
      where r.execution_id = ${job.executionId} and r.step_index = ${job.stepIndex} and r.server_id = ${job.serverId}
        and r.status = 'UNKNOWN' and r.resolution is null and r.dispatch_id is not null`,
  );
  if (!stored) return null;
  const { intent_for_ms: ms, ...unresolvedRow } = stored;
  return { ...unresolvedRow, intentAt: ms === null ? null : askedAt - ms };
}

async function toFindingOfInquiry(unresolvedRow: JournalAnswer, step: StepRules): Promise<CheckFinding> {
  switch (unresolvedRow.kind) {
    case 'never_started':
      return toCheckFinding(
        'never_started',
        'The host reports that the command never started there and never will. Resolve the result, or run the command again.',
      );
    case 'doubtful':
      return toCheckFinding(
        'journal_gone',
        unresolvedRow.code === 'start_unknown'
          ? `${unresolvedRow.message} Check its effects on the host, then resolve the result.`
          : unresolvedRow.message,
      );
    case 'rebooted':
      return toCheckFinding(
        'rebooted',
        'The host was restarted while the command ran, so its progress is unknown. Check the host, then resolve the result.',
      );
    case 'vanished':
    case 'no_journal':
      return toCheckFinding('journal_gone', unresolvedRow.message);
    case 'failed':
      return toCheckFinding('not_reached', unresolvedRow.message);
    case 'attached':
      break;
  }
  if (!(await waitAtMost(END_TIMEOUT_MS, unresolvedRow.command.result)))
    return toCheckFinding('still_running', 'The command still runs on the host. Check again when it has ended.');
  const result = await unresolvedRow.command.result;
  if (result.kind === 'refused' || result.kind === 'lost') return toCheckFinding('not_reached', result.message);
  const { status, exitCode, message } = commandToOutcome(result, null, step);
  if (status === 'SUCCEEDED')
    return toCheckFinding('succeeded', `The command ended on the host with exit code ${exitCode}.`, exitCode);
  return toCheckFinding('failed', message ?? 'The command failed on the host.', exitCode);
}
