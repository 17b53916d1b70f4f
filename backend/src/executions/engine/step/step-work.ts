import type { StopCause } from '../progress/host-outcome.js';

/** Steps that are run on hosts, as whoever drives the run tells them to end. */
export interface StepWork {
  /** Stops what runs and keeps the rest from starting. */
  stop(cause: StopCause): void;
  /**
   * Starts nothing new and detaches from the commands that the hosts keep a journal of; others may still end. Resolves
   * when all that is done, or after `ms`.
   */
  detach(ms: number): Promise<void>;
}
