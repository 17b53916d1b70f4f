import type { ThreadFile } from './template-request.js';

/** Files that one job makes, at most. */
const MOST_FILES = 32;
/**
 * A thread takes some tenths of a second of processor time to start, in which the one before makes thousands of usual
 * files: another job is begun beside it only where jobs take longer than the first, or one is under way for longer than
 * the second, in ms.
 */
const WORTH_ANOTHER_MS = 50;
const PATIENCE_MS = 500;

/** One file that somebody waits for. */
interface Order<Scope> {
  readonly scope: Scope;
  readonly give: (file: ThreadFile) => void;
  readonly fail: (error: unknown) => void;
}

/** Makes files of one template. It may give back fewer than it was asked for, but at least one. */
export type MakeFiles<Scope> = (content: string, scopes: readonly Scope[]) => Promise<readonly ThreadFile[]>;

/**
 * Brings together what is asked for at the same time of the same template, so that it is handed to a thread and parsed
 * there once for many hosts. While all jobs are under way, further files gather for the next one.
 */
export class RenderBatches<Scope> {
  private readonly waiting = new Map<string, Order<Scope>[]>();
  private running = 0;
  private planned = false;
  /** What the last job took; the first one starts a thread, and tells nothing. */
  private lastMs: number | null = null;
  /** Jobs that have been under way for long. */
  private slow = 0;

  constructor(
    private readonly make: MakeFiles<Scope>,
    /** Jobs at a time, at most. */
    private readonly mostJobs: number,
    /** A job that was ended made its thread end: its files are then asked for one by one. */
    private readonly wasEnded: (error: unknown) => boolean,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws what making it threw */
  file(content: string, scope: Scope): Promise<ThreadFile> {
    return new Promise((give, fail) => {
      const orders = this.waiting.get(content) ?? [];
      if (orders.length === 0) this.waiting.set(content, orders);
      orders.push({ scope, give, fail });
      this.plan();
    });
  }

  /** What is asked for in this turn of the event loop comes together. */
  private plan(): void {
    if (this.planned) return;
    this.planned = true;
    setImmediate(() => {
      this.planned = false;
      this.start();
    });
  }

  private start(): void {
    const jobs = this.slow > 0 || (this.lastMs ?? 0) > WORTH_ANOTHER_MS ? this.mostJobs : 1;
    while (this.running < jobs) {
      const [next] = this.waiting;
      if (!next) return;
      const [content, orders] = next;
      // As many jobs as there may be share what waits.
      const part = Math.min(MOST_FILES, Math.ceil(orders.length / (jobs - this.running)));
      const taken = orders.splice(0, part);
      this.waiting.delete(content);
      if (orders.length > 0) this.waiting.set(content, orders);
      this.running += 1;
      void this.timed(() => this.fill(content, taken)).finally(() => {
        this.running -= 1;
        this.plan();
      });
    }
  }

  private async timed(job: () => Promise<void>): Promise<void> {
    const from = this.now();
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.slow += 1;
      this.plan();
    }, PATIENCE_MS);
    try {
      await job();
    } finally {
      clearTimeout(timer);
      if (isSlow) this.slow -= 1;
      this.lastMs = this.lastMs === null ? 0 : this.now() - from;
    }
  }

  private async fill(content: string, orders: readonly Order<Scope>[]): Promise<void> {
    let rest = orders;
    let most = orders.length;
    while (rest.length > 0) {
      const asked = rest.slice(0, most);
      try {
        const files = await this.make(
          content,
          asked.map(({ scope }) => scope),
        );
        files.forEach((file, index) => asked[index]?.give(file));
        rest = rest.slice(Math.max(1, files.length));
      } catch (error) {
        if (this.wasEnded(error) && most > 1) {
          most = 1;
          continue;
        }
        for (const order of asked) order.fail(error);
        rest = rest.slice(asked.length);
      }
    }
  }
}
