import { Logger } from '@nestjs/common';
import { rows, sql } from '../../../common/database/sql.js';
import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import type { JobQueue } from '../../../common/queue/job-queue.js';
import type { RunRef } from '../../record/run-head.js';
import type { RunStore } from '../../store/run-store.js';

const SWEEP_MS = 5_000;
/** Several workers may find the same stalled run. It is enqueued only once in this interval, in seconds. */
const WAKE_OPTIONS = { atMostEverySeconds: 15 };
const MAX_PARALLEL_RUNS = 100;

interface StalledRun {
  tenant_id: string;
  execution_id: string;
}

/** Enqueues runs and slices whose job was lost or whose worker died. Cancels waiting runs whose token has ended. */
export class StalledRunSweep {
  private readonly log = new Logger('Sweep');
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly units: UnitOfWork,
    private readonly queue: JobQueue,
    private readonly store: RunStore,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.findStalled(), SWEEP_MS);
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private async findStalled(): Promise<void> {
    try {
      const { runs, slices, ended } = await this.units.runWithoutTenant(async (tx) => ({
        runs: await rows(tx, sql<StalledRun>`select * from stalled_executions(${MAX_PARALLEL_RUNS})`),
        slices: await rows(
          tx,
          sql<StalledRun & { slice_id: string }>`select * from stalled_slices(${MAX_PARALLEL_RUNS})`,
        ),
        ended: await rows(tx, sql<StalledRun>`select * from runs_of_ended_tokens(${MAX_PARALLEL_RUNS})`),
      }));
      await this.handleEach(runs, 'Enqueueing', (ref) =>
        this.units.run(ref.tenantId, (tx) => this.queue.enqueueAdvanceRun(tx, ref, WAKE_OPTIONS)),
      );
      await this.handleEach(slices, 'Enqueueing a slice of', (ref, { slice_id: sliceId }) =>
        this.units.run(ref.tenantId, (tx) => this.queue.enqueueRunSlice(tx, { ...ref, sliceId }, WAKE_OPTIONS)),
      );
      await this.handleEach(ended, 'Cancelling', (ref) => this.store.endForEndedToken(ref));
    } catch (error) {
      this.log.warn(`Looking for stalled runs failed: ${String(error)}`);
    }
  }

  /** Continues after a failure: the next sweep retries the item. */
  private async handleEach<T extends StalledRun>(
    found: readonly T[],
    what: string,
    handle: (ref: RunRef, row: T) => Promise<unknown>,
  ): Promise<void> {
    for (const row of found) {
      const ref = { tenantId: row.tenant_id, executionId: row.execution_id };
      try {
        await handle(ref, row);
      } catch (error) {
        this.log.warn(`${what} run ${ref.executionId} failed: ${String(error)}`);
      }
    }
  }
}
