import { RoundRobin } from '../round-robin.js';

/** Origin of a task. Keys are served in turn, so that a key with many tasks does not block other keys. */
export interface Turn {
  key: string;
  /** Whether the caller is known. Known and unknown callers alternate, and have separate capacity. */
  known: boolean;
}

export interface QueueLimits {
  running: number;
  waitingPerKey: number;
  /** Maximum number of waiting tasks; separate limits of this size for known and unknown callers. */
  waiting: number;
  /** Maximum time that a task waits, in ms. */
  deadlineMs: number;
}

/** A task was not run: too many waiting tasks, or the deadline passed. */
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

/** Waiting tasks of known or of unknown callers. */
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
      // Frees capacity only if another key has more waiting tasks than this key would have.
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

/** Limits expensive tasks: runs a few in parallel, and refuses those that would wait too long. */
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

  get waiting(): number {
    return this.known.size + this.unknown.size;
  }

  /** Highest number of parallel tasks until now. */
  get peak(): number {
    return this.most;
  }

  /** @throws QueueRefusal if the task was not begun; otherwise the error of the task */
  async run<T>({ key, known }: Turn, task: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.running) await this.place(known ? this.known : this.unknown, key);
    else this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      return await task();
    } finally {
      // Passes the slot on directly: it never appears free while a task waits.
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
