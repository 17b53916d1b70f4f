import type { StopCause } from '../progress/host-outcome.js';

/** Running steps, as the driver of the run ends them. */
export interface StepWork {
  stop(cause: StopCause): void;
  /**
   * Starts nothing new and detaches from commands with a host journal; other commands may still end. Resolves when that
   * is done, or after `ms`.
   */
  detach(ms: number): Promise<void>;
}
