import type { StopCause } from '../progress/host-outcome.js';

/** Gets a result for hosts of one step. */
export interface StepWork {
  /**
   * Resolves when each host has a stored result, when the hosts were left, or when the run may begin nothing new and
   * all that was begun has a result. @throws OwnershipLost
   */
  run(serverIds: readonly string[]): Promise<void>;
  /** Stops what runs and keeps the rest from starting. */
  stop(cause: StopCause): void;
  /**
   * Starts nothing new and leaves the commands that the hosts keep a journal of; others may still end. Resolves when
   * all that is done, or after `ms`.
   */
  detach(ms: number): Promise<void>;
}
