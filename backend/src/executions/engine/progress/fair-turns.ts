import { RoundRobin } from '../../../common/round-robin.js';

export interface LoopShare {
  /** Whether the time budget of the current event-loop turn is used up. The caller then awaits `turn()`. */
  readonly spent: boolean;
  /** Runs one slice of work. It must take at most a few milliseconds. */
  run<T>(work: () => T): T;
  turn(): Promise<void>;
  /** Runs the generator to its end. Each turn takes as many steps as fit in the time budget. */
  runInTurns<T>(work: Generator<void, T>): Promise<T>;
}

/** Time budget for all slices in one event-loop turn, in ms. */
const TURN_BUDGET_MS = 10;

/**
 * Shares the event loop fairly among groups (tenants) with long work. Work runs in slices, and the loop handles other
 * events between them. Waiting groups take turns round robin, one group per event-loop turn.
 */
export class FairTurns {
  private readonly waiting = new RoundRobin<() => void>();
  private usedMs = 0;
  private scheduled = false;

  /** @param now in ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param group owner of the turns, such as a tenant */
  of(group: string): LoopShare {
    return new GroupShare(this, group);
  }

  get spent(): boolean {
    return this.usedMs >= TURN_BUDGET_MS;
  }

  run<T>(work: () => T): T {
    const begunAt = this.now();
    this.schedule();
    try {
      return work();
    } finally {
      this.usedMs += this.now() - begunAt;
    }
  }

  turn(group: string): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.add(group, resolve);
      this.schedule();
    });
  }

  runSome<T>(work: Generator<void, T>): IteratorResult<void, T> {
    return this.run(() => {
      const endAt = this.now() + TURN_BUDGET_MS;
      let step = work.next();
      while (!step.done && this.now() < endAt) step = work.next();
      return step;
    });
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.next());
  }

  private next(): void {
    this.scheduled = false;
    this.usedMs = 0;
    const next = this.waiting.takeNext();
    if (this.waiting.size > 0) this.schedule();
    next?.item();
  }
}

class GroupShare implements LoopShare {
  constructor(
    private readonly turns: FairTurns,
    private readonly group: string,
  ) {}

  get spent(): boolean {
    return this.turns.spent;
  }

  run<T>(work: () => T): T {
    return this.turns.run(work);
  }

  turn(): Promise<void> {
    return this.turns.turn(this.group);
  }

  async runInTurns<T>(work: Generator<void, T>): Promise<T> {
    if (this.spent) await this.turn();
    for (;;) {
      const step = this.turns.runSome(work);
      if (step.done) return step.value;
      await this.turn();
    }
  }
}
