import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { DiskSpace } from '../../../common/health/disk-space.js';
import { insufficientRoleProblem, insufficientScopeProblem } from '../../../common/errors/problem.js';
import type { StartExecutionRequest } from '../../contract/execution.dto.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import { ExecutionsReader } from '../../queries/executions.reader.js';
import { type RunAcceptance, AcceptRun, GuardHeldError } from './accept-run.js';
import { type CheckedRenderings, withCheckedRenderings } from './check-rendering.js';
import { type AuthorsRequest, StartAuthors } from './start-authors.js';
import { ExpectedDigestCheck } from './expected-digest.js';
import { OverlapReport } from '../../queries/overlap-report.js';
import { type PreparedRun, PrepareRun } from './prepare-run.js';
import { toWaitSettings } from './waiting.js';

/** Attempts to start while conflicting runs have just ended. */
const MAX_START_ATTEMPTS = 3;

export type RunPreparation = (
  tx: EntityManager,
  checked: CheckedRenderings,
) => Promise<{ run: PreparedRun; acceptance: RunAcceptance }>;

/** Needs only the request, so it is checked before any record is read. @throws Problem 403 */
export function requireOverrideRight(
  caller: Principal,
  { freezeOverride, windowOverride }: { freezeOverride?: string; windowOverride?: string },
): void {
  if (freezeOverride === undefined && windowOverride === undefined) return;
  if (caller.role !== 'admin') throw insufficientRoleProblem('admin');
  if (caller.limits && caller.limits.access !== 'all') throw insufficientScopeProblem('access');
}

@Injectable()
export class StartExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly preparation: PrepareRun,
    private readonly acceptance: AcceptRun,
    private readonly expected: ExpectedDigestCheck,
    private readonly executions: ExecutionsReader,
    private readonly overlaps: OverlapReport,
    private readonly disk: DiskSpace,
    private readonly authors: StartAuthors,
  ) {}

  /**
   * @throws Problem as `PrepareRun.prepare`; 409 `digest_changed` with the differences, `collection_frozen`,
   *   `outside_run_window`, `run_overlap` with the conflicts, `queue_full`, `author_not_allowed`, `unknown_authors`;
   *   503 `disk_space_low`; 403 for an override by a caller who is not an admin
   */
  async start(caller: Principal, request: StartExecutionRequest): Promise<ExecutionView> {
    requireOverrideRight(caller, request);
    const { execution_mode: mode } = request;
    const waiting = toWaitSettings(request, mode);
    return this.startPrepared(caller, request.planId, async (tx, checked) => {
      const run = await this.preparation.prepareRun(tx, caller, request, checked);
      if (request.expectedDigest !== undefined)
        await this.expected.requireDigest(tx, caller, request.expectedDigest, run);
      const { note, labels = {}, freezeOverride = null, windowOverride = null, acceptAuthors = null } = request;
      const overrides = { freezeOverride, windowOverride, acceptAuthors };
      const firstStart = { schedule: null, parentId: null, fromStep: 0, passedOver: [], inherited: [] };
      return { run, acceptance: { mode, note: note ?? null, labels, waiting, ...overrides, ...firstStart } };
    });
  }

  /** Accepts the prepared run. Retries when conflicting runs have just ended. @throws Problem as `start` */
  startPrepared(caller: Principal, planId: string, prepare: RunPreparation): Promise<ExecutionView> {
    return this.acceptPrepared(caller, planId, prepare, (tx, id) => this.executions.getInTransaction(tx, caller, id));
  }

  /**
   * Like `startPrepared`, with additional work in the transaction that accepts the run.
   * @param afterAcceptance the additional work; receives the ID of the run
   */
  async acceptPrepared<T>(
    caller: Principal,
    planId: string,
    prepare: RunPreparation,
    afterAcceptance: (tx: EntityManager, id: string) => Promise<T>,
  ): Promise<T> {
    await this.disk.requireFreeSpace();
    return withCheckedRenderings(caller.tenantId, async (checked) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.units.run(caller.tenantId, async (tx) => {
            const { run, acceptance } = await prepare(tx, checked);
            const authors = await this.authors.requireAuthors(tx, caller, run, toAuthorsRequest(acceptance), checked);
            const { id, queued } = await this.acceptance.acceptRun(tx, caller, run, acceptance, authors);
            const [result] = await Promise.all([afterAcceptance(tx, id), queued]);
            return result;
          });
        } catch (error) {
          if (!(error instanceof GuardHeldError)) throw error;
          // Null: the conflicting run has just ended.
          const refusal = await this.overlaps.createOverlapProblem(
            caller,
            planId,
            [...error.keys],
            attempt === MAX_START_ATTEMPTS,
          );
          if (refusal) throw refusal;
        }
      }
    });
  }
}

const toAuthorsRequest = ({ mode, acceptAuthors, schedule }: RunAcceptance): AuthorsRequest => ({
  dry: mode === 'dry_run',
  accept: acceptAuthors,
  vouchedAt: schedule?.vouchedAt ?? null,
});
