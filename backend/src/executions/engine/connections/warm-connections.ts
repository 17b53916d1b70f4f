import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { isFinished, type ExecutionStatus } from '../../lifecycle/statuses.js';
import type { RunReach } from './run-reach.js';
import type { RunRef } from '../../record/run-head.js';
import { RunConnections } from './run-connections.js';
import type { RunContext } from './run-context.js';
import { hostsWithUnknownResult } from './unsettled-hosts.js';

const IDLE_MS = 60_000;

interface Warm {
  ref: RunRef;
  connections: RunConnections;
  users: number;
  timer: NodeJS.Timeout | null;
}

/** Keeps connections to a run's hosts open between slices of the run on this worker. */
export class WarmConnections {
  private readonly runs = new Map<string, Warm>();

  constructor(private readonly units: UnitOfWork) {}

  take(ref: RunRef, runContext: RunContext, reachOf: () => RunReach): RunConnections {
    const warm = this.runs.get(ref.executionId) ?? {
      ref,
      connections: new RunConnections(runContext, reachOf()),
      users: 0,
      timer: null,
    };
    this.runs.set(ref.executionId, warm);
    if (warm.timer) clearTimeout(warm.timer);
    warm.timer = null;
    warm.users += 1;
    warm.connections.know(runContext);
    return warm.connections;
  }

  release(executionId: string): void {
    const warm = this.runs.get(executionId);
    if (!warm) return;
    warm.users -= 1;
    if (warm.users === 0) warm.timer = setTimeout(() => this.close(executionId), IDLE_MS);
  }

  /**
   * Closes the connections of runs that are over. Call when a run has changed.
   * @param executionId empty: any run may have changed
   */
  async refresh(executionId: string): Promise<void> {
    const affected = executionId === '' ? [...this.runs.values()] : [this.runs.get(executionId)];
    for (const warm of affected) if (warm && warm.users === 0) await this.endIfOver(warm).catch(() => undefined);
  }

  close(executionId: string): void {
    const warm = this.runs.get(executionId);
    if (!warm) return;
    if (warm.timer) clearTimeout(warm.timer);
    this.runs.delete(executionId);
    warm.connections.closeAll();
  }

  closeAll(): void {
    for (const id of [...this.runs.keys()]) this.close(id);
  }

  private async endIfOver({ ref, connections }: Warm): Promise<void> {
    const keep = await this.units.run(ref.tenantId, async (tx) => {
      const [run] = await tx.query<{ status: ExecutionStatus }[]>('select status from executions where id = $1', [
        ref.executionId,
      ]);
      return run && !isFinished(run.status) ? null : hostsWithUnknownResult(tx, ref);
    });
    if (!keep) return;
    await connections.forgetRun(ref.executionId, keep);
    this.close(ref.executionId);
  }
}
