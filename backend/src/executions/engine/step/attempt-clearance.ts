import type { RunStore } from '../../store/run-store.js';
import type { Lease } from '../lease/lease.js';
import { retryWhileDatabaseAway } from '../lease/retry-while-database-away.js';
import type { StepControl } from './step-control.js';

/**
 * Checks before an attempt without a decision whether the run may still continue. If not, nothing more begins in this
 * step: hosts without a result are left to the next decision on the run.
 */
export class AttemptClearance {
  private asking: Promise<boolean> | null = null;

  constructor(
    private readonly store: Pick<RunStore, 'mayGoOn'>,
    private readonly lease: Lease,
    private readonly control: StepControl,
  ) {}

  /** Hosts that ask at the same moment share the answer. @throws OwnershipLost */
  async mayBegin(): Promise<boolean> {
    if (this.control.held) return false;
    this.asking ??= retryWhileDatabaseAway(this.lease, () => this.store.mayGoOn(this.lease.ref)).finally(
      () => (this.asking = null),
    );
    if (!(await this.asking)) this.control.hold();
    return !this.control.held;
  }
}
