import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** Rendering blocks the worker, including its leases: render for one host at a time and yield in between. */
export class RenderingTurns {
  private last: Promise<unknown> = Promise.resolve();

  /** Resolves when the caller may render. */
  take(): Promise<unknown> {
    this.last = this.last.then(() => turnOfOthers());
    return this.last;
  }
}
