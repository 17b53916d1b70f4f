import { RoundRobin } from '../round-robin.js';

/** Whose task it is. Keys are served in turn, so that one with many tasks does not keep the others waiting. */
export interface Turn {
  key: string;
  /** Somebody who is known: known and unknown ones are served alternately, and neither takes the other's room. */
  known: boolean;
}

export interface QueueLimits {
  /** Tasks that run at a time. */
  running: number;
  /** Tasks of one key that wait at a time. */
  waitingPerKey: number;
  /** Tasks that wait at a time: of those who are known, and of those who aren't, so many each. */
  waiting: number;
  /** The longest that a task waits, in ms. */
  deadlineMs: number;
}

/** A task was not run: its key had too many waiting already, or it found no place in time. */
export class QueueRefusal extends Error {
  override readonly name = 'QueueRefusal';

  constructor(readonly reason: 'key' | 'full' | 'deadline') {
    super(`The task was not run (${reason}).`);
  }
}

interface Waiting {
  begin(): void;
  refuse(reason: QueueRefusal['reason']): void;
}

/** Those who wait for one of the two kinds of place. */
class Lane {
  private readonly waiting = new RoundRobin<Waiting>();

  constructor(private readonly limits: QueueLimits) {}

  get size(): number {
    return this.waiting.size;
  }

  add(key: string, task: Waiting): void {
    const own = this.waiting.countOf(key);
    if (own >= this.limits.waitingPerKey) return task.refuse('key');
    if (this.waiting.size >= this.limits.waiting) {
      // Room is made by whoever has more waiting than the newcomer would have.
      const displaced = this.waiting.takeFromLongest(own + 1);
      if (!displaced) return task.refuse('full');
      displaced.refuse('full');
    }
    this.waiting.add(key, task);
  }

  next(): Waiting | undefined {
    return this.waiting.take()?.item;
  }

  remove(key: string, task: Waiting): void {
    this.waiting.remove(key, task);
  }
}

/** Runs costly tasks, a few at a time, and keeps no more of them waiting than are served in time. */
export class FairQueue {
  private readonly known: Lane;
  private readonly unknown: Lane;
  private running = 0;
  private most = 0;
  private servedKnown = false;

  constructor(private readonly limits: QueueLimits) {
    this.known = new Lane(limits);
    this.unknown = new Lane(limits);
  }

  /** Tasks that wait at this moment. */
  get waiting(): number {
    return this.known.size + this.unknown.size;
  }

  /** The most tasks that ran at a time so far. */
  get peak(): number {
    return this.most;
  }

  /** @throws QueueRefusal when the task is not begun; else whatever the task throws */
  async run<T>({ key, known }: Turn, task: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.running) await this.place(known ? this.known : this.unknown, key);
    else this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      return await task();
    } finally {
      // The place goes from hand to hand: it never looks free while somebody waits.
      const next = this.next();
      if (next) next.begin();
      else this.running -= 1;
    }
  }

  private place(lane: Lane, key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        lane.remove(key, task);
        task.refuse('deadline');
      }, this.limits.deadlineMs);
      const task: Waiting = {
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

  private next(): Waiting | undefined {
    const [first, second] = this.servedKnown ? [this.unknown, this.known] : [this.known, this.unknown];
    const fromFirst = first.next();
    this.servedKnown = fromFirst ? first === this.known : second === this.known;
    return fromFirst ?? second.next();
  }
}
