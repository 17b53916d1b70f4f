import type { Reason } from '../../../common/http/reason.view.js';
import type { Verdict } from '../../lifecycle/statuses.js';
import type { OutputChunk } from '../../output/line-assembler.js';
import type { HostStatus } from '../../lifecycle/statuses.js';
import type { HostOutcome } from './host-outcome.js';
import type { OutputTotals, StreamBytes } from './host-output.js';

/** `why`: reason of the lost connection; absent: the host was not connected before. */
export type HostChange = { serverId: string } & (
  | { kind: 'connecting'; why?: Reason }
  /**
   * Intent to start, stored before anything is sent. `before`: bytes of each stream that are already stored.
   * `journaled`: whether the host is asked to keep a journal. `homeFull`: it is not, because the login user's home is
   * full.
   */
  | {
      kind: 'dispatch';
      dispatchId: string;
      attempt: number;
      before: StreamBytes;
      journaled: boolean;
      homeFull?: boolean;
    }
  /** `before` and `journaled`: current values. `first`: the command has just begun. */
  | { kind: 'started'; first: boolean; journaled: boolean; before: StreamBytes | null }
  /** Withdraws the intent: the command can never start, and nothing new may begin now. */
  | { kind: 'withdrawn'; attempt: number }
  /** The attempt ended with `outcome`; the next attempt begins after `delayMs`. */
  | { kind: 'retrying'; attempt: number; delayMs: number; outcome: HostOutcome }
  | { kind: 'finished'; outcome: HostOutcome; totals: OutputTotals | null; verdict?: Verdict; diff?: string }
);

export interface HostOutputChunks {
  serverId: string;
  chunks: OutputChunk[];
}

/** Host status after the change; null: unchanged. */
export const getStatusAfter = (change: HostChange): HostStatus | null => {
  if (change.kind === 'connecting') return 'CONNECTING';
  if (change.kind === 'started') return 'RUNNING';
  if (change.kind === 'retrying' || change.kind === 'withdrawn') return 'PENDING';
  return change.kind === 'finished' ? change.outcome.status : null;
};

export type StatusCountDelta = Partial<Record<HostStatus, number>>;

/**
 * Changes to a step's number of hosts per status. These are differences, because other workers also write hosts of the
 * step.
 */
export class StepCounts {
  private readonly statuses: Map<string, HostStatus>;
  private delta: StatusCountDelta = {};

  constructor(statuses: Iterable<[string, HostStatus]>) {
    this.statuses = new Map(statuses);
  }

  get reachedHostCount(): number {
    return this.statuses.size;
  }

  setStatuses(statuses: Iterable<[string, HostStatus]>): void {
    for (const [id, status] of statuses) this.statuses.set(id, status);
  }

  applyChange(change: HostChange): void {
    const after = getStatusAfter(change);
    if (!after) return;
    const before = this.statuses.get(change.serverId);
    if (before) this.delta[before] = (this.delta[before] ?? 0) - 1;
    this.delta[after] = (this.delta[after] ?? 0) + 1;
    this.statuses.set(change.serverId, after);
  }

  takeDelta(): StatusCountDelta {
    const { delta } = this;
    this.delta = {};
    return delta;
  }
}
