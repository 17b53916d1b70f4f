import type { RunStore } from '../../store/run-store.js';
import { type Lease, retryWhileDatabaseAway } from '../lease/lease.js';
import type { StepControl } from './step-control.js';

/**
 * Checks before each attempt whether the run may still continue without a decision by a person. If not, nothing more
 * begins in this step. Hosts without a result wait for the next decision on the run.
 */
export class AttemptClearance {
  private asking: Promise<boolean> | null = null;

  constructor(
    private readonly store: Pick<RunStore, 'mayContinue'>,
    private readonly lease: Lease,
    private readonly control: StepControl,
  ) {}

  /** Hosts that ask at the same moment share one answer. @throws OwnershipLostError */
  async mayBegin(): Promise<boolean> {
    if (this.control.holdSignal) return false;
    this.asking ??= retryWhileDatabaseAway(this.lease, () => this.store.mayContinue(this.lease.ref)).finally(
      () => (this.asking = null),
    );
    if (!(await this.asking)) this.control.forbidStarts();
    return !this.control.holdSignal;
  }
}
