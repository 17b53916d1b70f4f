import { RoundRobin } from '../../../common/fairness/round-robin.js';

export interface EventLoopShare {
  /** Whether the time budget of the current event-loop turn is used up. The caller then awaits `waitForTurn()`. */
  readonly isBudgetSpent: boolean;
  /** Runs one slice of work. It must take at most a few milliseconds. */
  run<T>(work: () => T): T;
  waitForTurn(): Promise<void>;
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
  createShare(group: string): EventLoopShare {
    return new GroupShare(this, group);
  }

  get isBudgetSpent(): boolean {
    return this.usedMs >= TURN_BUDGET_MS;
  }

  run<T>(work: () => T): T {
    const begunAt = this.now();
    this.scheduleTurn();
    try {
      return work();
    } finally {
      this.usedMs += this.now() - begunAt;
    }
  }

  waitForTurn(group: string): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.add(group, resolve);
      this.scheduleTurn();
    });
  }

  runUntilBudgetSpent<T>(work: Generator<void, T>): IteratorResult<void, T> {
    return this.run(() => {
      const endAt = this.now() + TURN_BUDGET_MS;
      let step = work.next();
      while (!step.done && this.now() < endAt) step = work.next();
      return step;
    });
  }

  private scheduleTurn(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.runNextTurn());
  }

  private runNextTurn(): void {
    this.scheduled = false;
    this.usedMs = 0;
    const next = this.waiting.takeNext();
    if (this.waiting.size > 0) this.scheduleTurn();
    next?.item();
  }
}

class GroupShare implements EventLoopShare {
  constructor(
    private readonly turns: FairTurns,
    private readonly group: string,
  ) {}

  get isBudgetSpent(): boolean {
    return this.turns.isBudgetSpent;
  }

  run<T>(work: () => T): T {
    return this.turns.run(work);
  }

  waitForTurn(): Promise<void> {
    return this.turns.waitForTurn(this.group);
  }

  async runInTurns<T>(work: Generator<void, T>): Promise<T> {
    if (this.isBudgetSpent) await this.waitForTurn();
    for (;;) {
      const step = this.turns.runUntilBudgetSpent(work);
      if (step.done) return step.value;
      await this.waitForTurn();
    }
  }
}
