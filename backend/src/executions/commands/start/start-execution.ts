import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { insufficientRole } from '../../../common/errors/problem.js';
import type { StartExecutionRequest } from '../../contract/execution.dto.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import { ExecutionsReader } from '../../queries/executions.reader.js';
import { type Acceptance, AcceptRun, GuardHeld } from './accept-run.js';
import { type CheckedRenderings, withCheckedRenderings } from './checked-renderings.js';
import { ExpectedDigest } from './expected-digest.js';
import { OverlapReport } from '../../queries/overlap-report.js';
import { type PreparedRun, PrepareRun } from './prepare-run.js';

/** How often a start is tried anew when the run that was in its way has just ended. */
const TRIES = 3;

/** What is to be started, made anew at each try. */
export type Preparation = (
  tx: EntityManager,
  checked: CheckedRenderings,
) => Promise<{ run: PreparedRun; acceptance: Acceptance }>;

/** Decided by the body's shape alone, before any record is read. @throws Problem 403 */
export function demandMayOverride(caller: Principal, { freezeOverride }: { freezeOverride?: string }): void {
  if (freezeOverride !== undefined && caller.role !== 'admin') throw insufficientRole('admin');
}

/** Starts runs, and explains why one can't be started now. */
@Injectable()
export class StartExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly preparation: PrepareRun,
    private readonly acceptance: AcceptRun,
    private readonly expected: ExpectedDigest,
    private readonly executions: ExecutionsReader,
    private readonly overlaps: OverlapReport,
  ) {}

  /**
   * @throws Problem as `PrepareRun.prepare`; 409 `digest_changed` with what differs, `collection_frozen`, `run_overlap` with what
   *   is in the way; 403 for `freezeOverride` by who is no admin
   */
  async start(caller: Principal, request: StartExecutionRequest): Promise<ExecutionView> {
    demandMayOverride(caller, request);
    return this.startPrepared(caller, request.planId, async (tx, checked) => {
      const run = await this.preparation.prepare(tx, caller, request, checked);
      if (request.expectedDigest !== undefined) await this.expected.demand(tx, caller, request.expectedDigest, run);
      const { execution_mode: mode, note, freezeOverride = null } = request;
      const nothing = { parentId: null, fromStep: 0, passedOver: [], inherited: [] };
      return { run, acceptance: { mode, note: note ?? null, freezeOverride, ...nothing } };
    });
  }

  /** Accepts what `prepare` makes, tried again while the runs in its way have just ended. @throws Problem as `start` */
  startPrepared(caller: Principal, planId: string, prepare: Preparation): Promise<ExecutionView> {
    return withCheckedRenderings(caller.tenantId, async (checked) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.units.run(caller.tenantId, async (tx) => {
            const { run, acceptance } = await prepare(tx, checked);
            const { id, queued } = await this.acceptance.accept(tx, caller, run, acceptance);
            const [view] = await Promise.all([this.executions.getIn(tx, caller, id), queued]);
            return view;
          });
        } catch (error) {
          if (!(error instanceof GuardHeld)) throw error;
          // Null: the run that was in the way has ended meanwhile.
          const refusal = await this.overlaps.refuse(caller, planId, [...error.keys], attempt === TRIES);
          if (refusal) throw refusal;
        }
      }
    });
  }
}
