import { RoundRobin } from './round-robin.js';

/** Origin of a task. Keys take turns, so that a key with many tasks does not block other keys. */
export interface QueueTurn {
  key: string;
  /** Whether the caller is known. Known and unknown callers alternate and have separate capacity. */
  known: boolean;
}

export interface QueueLimits {
  running: number;
  waitingPerKey: number;
  /** Maximum number of waiting tasks, for known and for unknown callers each. */
  waiting: number;
  /** Maximum time that a task waits, in ms. */
  deadlineMs: number;
}

/** The task was not run, because too many tasks wait or its deadline passed. */
export class QueueRefusal extends Error {
  override readonly name = 'QueueRefusal';

  constructor(readonly reason: 'key' | 'full' | 'deadline') {
    super(`The task was not run (${reason}).`);
  }
}

interface WaitingTask {
  begin(): void;
  refuse(reason: QueueRefusal['reason']): void;
}

class QueueLane {
  private readonly waiting = new RoundRobin<WaitingTask>();

  constructor(private readonly limits: QueueLimits) {}

  get size(): number {
    return this.waiting.size;
  }

  add(key: string, task: WaitingTask): void {
    const own = this.waiting.countOf(key);
    if (own >= this.limits.waitingPerKey) return task.refuse('key');
    if (this.waiting.size >= this.limits.waiting) {
      // Frees capacity by refusing a task of the key with the most waiting tasks, if that key has more than this key
      // would have.
      const removedTask = this.waiting.takeFromLongest(own + 1);
      if (!removedTask) return task.refuse('full');
      removedTask.refuse('full');
    }
    this.waiting.add(key, task);
  }

  takeNextTask(): WaitingTask | undefined {
    return this.waiting.takeNext()?.item;
  }

  remove(key: string, task: WaitingTask): void {
    this.waiting.remove(key, task);
  }
}

/** Limits expensive tasks: runs a few in parallel, and refuses tasks that would wait too long. */
export class FairQueue {
  private readonly known: QueueLane;
  private readonly unknown: QueueLane;
  private running = 0;
  private maxSize = 0;
  private servedKnownLast = false;

  constructor(private readonly limits: QueueLimits) {
    this.known = new QueueLane(limits);
    this.unknown = new QueueLane(limits);
  }

  get waiting(): number {
    return this.known.size + this.unknown.size;
  }

  get peak(): number {
    return this.maxSize;
  }

  /** @throws QueueRefusal if the task was not started; otherwise the error of the task */
  async runInTurn<T>({ key, known }: QueueTurn, task: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.running) await this.waitForPlace(known ? this.known : this.unknown, key);
    else this.running += 1;
    this.maxSize = Math.max(this.maxSize, this.running);
    try {
      return await task();
    } finally {
      // Passes the slot directly to the next task, so that no new task can take it first.
      const next = this.next();
      if (next) next.begin();
      else this.running -= 1;
    }
  }

  private waitForPlace(lane: QueueLane, key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        lane.remove(key, task);
        task.refuse('deadline');
      }, this.limits.deadlineMs);
      const task: WaitingTask = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: (reason) => {
          clearTimeout(timer);
          reject(new QueueRefusal(reason));
        },
      };
      lane.add(key, task);
    });
  }

  private next(): WaitingTask | undefined {
    const [first, second] = this.servedKnownLast ? [this.unknown, this.known] : [this.known, this.unknown];
    const firstTask = first.takeNextTask();
    this.servedKnownLast = firstTask ? first === this.known : second === this.known;
    return firstTask ?? second.takeNextTask();
  }
}
