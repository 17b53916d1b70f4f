import type { OutputChunk } from '../output/line-assembler.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import type { HostOutcome } from './host-outcome.js';
import type { OutputTotals } from './host-output.js';

/** One thing that happened on one host of the current step, to be stored. */
export type HostChange = { serverId: string } & (
  | { kind: 'connecting' }
  /** The intent to start: stored before anything is sent (design: engine.md, Dispatch). */
  | { kind: 'dispatch'; dispatchId: string }
  | { kind: 'started' }
  | { kind: 'finished'; outcome: HostOutcome; totals: OutputTotals | null }
);

/** Chunks of one host, about to be stored. */
export interface HostChunks {
  serverId: string;
  chunks: OutputChunk[];
}

/** The status that a host has after a change; null: unchanged. */
export const statusAfter = (change: HostChange): HostStatus | null => {
  if (change.kind === 'connecting') return 'CONNECTING';
  if (change.kind === 'started') return 'RUNNING';
  return change.kind === 'finished' ? change.outcome.status : null;
};

/** Hosts of a step by status, kept up to date change by change. */
export class StepCounts {
  private readonly statuses: Map<string, HostStatus>;

  constructor(statuses: Iterable<[string, HostStatus]>) {
    this.statuses = new Map(statuses);
  }

  apply(change: HostChange): void {
    const status = statusAfter(change);
    if (status) this.statuses.set(change.serverId, status);
  }

  counts(): Partial<Record<HostStatus, number>> {
    const counts: Partial<Record<HostStatus, number>> = {};
    for (const status of this.statuses.values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }
}
