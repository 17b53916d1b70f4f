import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** Rendering keeps a worker from everything else, such as its leases: one host at a time, and others in between. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** Resolves when it is the caller's turn. */
  take(): Promise<unknown> {
    this.last = this.last.then(() => turnOfOthers());
    return this.last;
  }
}
