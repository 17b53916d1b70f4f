import type { StopCause } from '../progress/host-outcome.js';

/** Signals to all hosts of a step in this worker: stop, begin nothing more, or detach for another worker. */
export class StepControl {
  stopCause: StopCause | null = null;
  /** Time of the stop, in terms of `performance.now`. */
  stoppedAt = 0;
  private readonly starting = new AbortController();
  private readonly detachController = new AbortController();
  private readonly holdController = new AbortController();
  private readonly listeners = new Set<(cause: StopCause) => void>();

  get startAbortSignal(): AbortSignal {
    return this.starting.signal;
  }

  get detachSignal(): AbortSignal {
    return this.detachController.signal;
  }

  /** Whether nothing new may begin in the run. Hosts without a result wait for the next decision on the run. */
  get holdSignal(): boolean {
    return this.holdController.signal.aborted;
  }

  forbidStarts(): void {
    this.holdController.abort();
  }

  stop(cause: StopCause): void {
    if (this.stopCause) return;
    this.stopCause = cause;
    this.stoppedAt = performance.now();
    this.starting.abort();
    for (const listener of [...this.listeners]) listener(cause);
  }

  detach(): void {
    this.starting.abort();
    this.detachController.abort();
  }

  /** Detaches from the hosts. Resolves when the work that has begun on them is `done`, or after `ms`. */
  async detachWithin(ms: number, done: Promise<unknown>): Promise<void> {
    this.detach();
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([done, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
    clearTimeout(timer);
  }

  /**
   * Calls `listener` when the run is stopped, or immediately if it already was. @returns a function that removes the
   * listener
   */
  onStop(listener: (cause: StopCause) => void): () => void {
    if (this.stopCause) listener(this.stopCause);
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Like `waitUnlessStopped`, but also ends when nothing may begin any more. */
  async pauseBeforeAttempt(ms: number): Promise<void> {
    if (this.holdSignal || this.stopCause) return;
    await this.waitUnlessStopped(ms, this.holdController.signal);
  }

  /** Resolves after `ms`, or earlier when the run is stopped or handed over, or when `wakeSignal` fires. */
  waitUnlessStopped(ms: number, wakeSignal?: AbortSignal): Promise<void> {
    if (this.detachSignal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.listeners.delete(done);
        this.detachSignal.removeEventListener('abort', done);
        wakeSignal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.listeners.add(done);
      this.detachSignal.addEventListener('abort', done, { once: true });
      wakeSignal?.addEventListener('abort', done, { once: true });
    });
  }
}
