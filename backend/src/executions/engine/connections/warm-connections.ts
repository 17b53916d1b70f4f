import type { EntityManager } from 'typeorm';
import { rows, sql, row } from '../../../common/database/sql.js';
import type { RunRef } from '../../record/run-head.js';
import type { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { isFinished, type ExecutionStatus } from '../../lifecycle/statuses.js';
import type { HostReachability } from './run-reach.js';
import { RunConnections } from './run-connections.js';
import type { RunContext } from './run-context.js';

export async function findHostsWithUnknownResult(tx: EntityManager, ref: RunRef): Promise<Set<string>> {
  const found = await rows(
    tx,
    sql<{ server_id: string }>`select distinct server_id from host_results
      where execution_id = ${ref.executionId} and dispatch_id is not null and status = 'UNKNOWN'`,
  );
  return new Set(found.map(({ server_id }) => server_id));
}

const IDLE_MS = 60_000;

interface WarmRun {
  ref: RunRef;
  connections: RunConnections;
  users: number;
  timer: NodeJS.Timeout | null;
}

/** Keeps connections to a run's hosts open between slices of the run on this worker. */
export class WarmConnections {
  private readonly runs = new Map<string, WarmRun>();

  constructor(private readonly units: UnitOfWork) {}

  takeConnections(ref: RunRef, runContext: RunContext, reachOf: () => HostReachability): RunConnections {
    const warmRun = this.runs.get(ref.executionId) ?? {
      ref,
      connections: new RunConnections(runContext, reachOf()),
      users: 0,
      timer: null,
    };
    this.runs.set(ref.executionId, warmRun);
    if (warmRun.timer) clearTimeout(warmRun.timer);
    warmRun.timer = null;
    warmRun.users += 1;
    warmRun.connections.setPrivateKeys(runContext);
    return warmRun.connections;
  }

  releaseConnections(executionId: string): void {
    const warmRun = this.runs.get(executionId);
    if (!warmRun) return;
    warmRun.users -= 1;
    if (warmRun.users === 0) warmRun.timer = setTimeout(() => this.closeConnections(executionId), IDLE_MS);
  }

  /**
   * Closes the connections of runs that are over. Call when a run has changed.
   * @param executionId empty: any run may have changed
   */
  async refreshConnections(executionId: string): Promise<void> {
    const affectedRuns = executionId === '' ? [...this.runs.values()] : [this.runs.get(executionId)];
    for (const warmRun of affectedRuns)
      if (warmRun && warmRun.users === 0) await this.closeIfEnded(warmRun).catch(() => undefined);
  }

  closeConnections(executionId: string): void {
    const warmRun = this.runs.get(executionId);
    if (!warmRun) return;
    if (warmRun.timer) clearTimeout(warmRun.timer);
    this.runs.delete(executionId);
    warmRun.connections.closeAll();
  }

  closeAll(): void {
    for (const id of [...this.runs.keys()]) this.closeConnections(id);
  }

  private async closeIfEnded({ ref, connections }: WarmRun): Promise<void> {
    const keep = await this.units.run(ref.tenantId, async (tx) => {
      const run = await row(
        tx,
        sql<{ status: ExecutionStatus }>`select status from executions where id = ${ref.executionId}`,
      );
      return run && !isFinished(run.status) ? null : findHostsWithUnknownResult(tx, ref);
    });
    if (!keep) return;
    await connections.forgetRun(ref.executionId, keep);
    this.closeConnections(ref.executionId);
  }
}
