import type { StopCause } from '../progress/host-outcome.js';

export interface StepWork {
  stop(cause: StopCause): void;
  /**
   * Starts nothing new and detaches from commands that have a host journal. Other commands may still end. Resolves when
   * all have ended or were detached, or after `ms`.
   */
  detach(ms: number): Promise<void>;
}
