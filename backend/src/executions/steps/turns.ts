import { setImmediate as turnOfOthers } from 'node:timers/promises';

/**
 * Rendering blocks the worker, including the renewal of its leases. So only one host is rendered at a time, and other
 * work runs in between.
 */
export class RenderingTurns {
  private last: Promise<unknown> = Promise.resolve();

  waitForTurn(): Promise<unknown> {
    this.last = this.last.then(() => turnOfOthers());
    return this.last;
  }
}
