export interface SlicedSocket {
  /** @returns whether another slice is waiting */
  takeSlice(): boolean;
}

/** Processor time for all sockets together in one turn of the event loop, in ms. */
export const TURN_DURATION_MS = 2;

/**
 * Shares the event loop between the sockets of all hosts: each socket in turn handles one slice. When the time of a
 * turn is spent, the remaining slices wait for the next one. Other work of the process comes before that.
 */
class SocketScheduler {
  private readonly waiting = new Set<SlicedSocket | (() => void)>();
  private spentMs = 0;
  private scheduled = false;
  private isWorking = false;

  /** Adds a stream with a waiting slice, which is handled immediately if the turn has time left. */
  add(stream: SlicedSocket): void {
    this.waiting.add(stream);
    if (!this.isWorking) this.processWaitingSockets();
  }

  /** Calls `act` once every waiting stream has had a slice. All data received before this call is then handled. */
  runAfterSlices(act: () => void): void {
    if (this.waiting.size === 0) return act();
    this.waiting.add(act);
  }

  /**
   * Handles a slice immediately if no stream waits and the turn has time left.
   * @returns whether the slice was handled
   */
  handleNowIfPossible(handle: () => void): boolean {
    if (this.isWorking || this.waiting.size > 0 || this.spentMs >= TURN_DURATION_MS) return false;
    this.runAndMeasure(handle);
    return true;
  }

  private processWaitingSockets(): void {
    const begun = performance.now();
    this.runAndMeasure(() => {
      for (const next of this.waiting) {
        if (this.spentMs + performance.now() - begun >= TURN_DURATION_MS) break;
        this.waiting.delete(next);
        if (typeof next === 'function') next();
        else if (next.takeSlice()) this.waiting.add(next);
      }
    });
  }

  private runAndMeasure(act: () => void): void {
    this.isWorking = true;
    const begun = performance.now();
    try {
      act();
    } finally {
      this.isWorking = false;
      this.spentMs += performance.now() - begun;
      if (!this.scheduled && (this.waiting.size > 0 || this.spentMs >= TURN_DURATION_MS)) {
        this.scheduled = true;
        setImmediate(this.startNextTurn);
      }
    }
  }

  private readonly startNextTurn = (): void => {
    this.scheduled = false;
    this.spentMs = 0;
    if (this.waiting.size > 0) this.processWaitingSockets();
  };
}

export const socketScheduler = new SocketScheduler();
