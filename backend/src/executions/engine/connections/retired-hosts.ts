import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import { Slots } from './slots.js';

/**
 * A host is left alone for so long before it clears away, in ms: for the host that is as much work as a command, and
 * hosts that still have work of the run go first.
 */
const LATER_MS = 5_000;
/** So many connections are held meanwhile at the most. */
const HELD = 200;
/** Hosts that clear away at a time. */
const AT_ONCE = 20;

/** A host with no step of the run left, and what it may clear away. */
export interface RetiredHost {
  serverId: string;
  connection: Pick<SshConnection, 'forget' | 'end'>;
  folderId: string;
  dispatchIds: readonly string[];
}

interface Waiting extends RetiredHost {
  /** By the clock, in ms. */
  since: number;
}

/** Hosts of a run that is not over and that have their work behind them: they clear away, and their connections end. */
export class RetiredHosts {
  private readonly waiting: Waiting[] = [];
  private readonly clearing = new Set<Promise<void>>();
  private readonly slots = new Slots(AT_ONCE);
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(host: RetiredHost): void {
    this.waiting.push({ ...host, since: this.now() });
    this.clearOldest();
  }

  /** The run is over: everything of it may go, unless a host may still be asked what became of a command. */
  async clearAll(keep: ReadonlySet<string>): Promise<void> {
    this.stopTimer();
    for (const host of this.waiting.splice(0)) this.clear(host, !keep.has(host.serverId));
    await Promise.allSettled(this.clearing);
  }

  /** Ends the connections of those that have not cleared away. */
  end(): void {
    this.stopTimer();
    for (const { connection } of this.waiting.splice(0)) connection.end();
  }

  private clearOldest(): void {
    this.stopTimer();
    const now = this.now();
    for (let [oldest] = this.waiting; oldest; [oldest] = this.waiting) {
      const inMs = oldest.since + LATER_MS - now;
      if (this.waiting.length <= HELD && inMs > 0) {
        this.timer = setTimeout(() => this.clearOldest(), inMs);
        return;
      }
      this.waiting.shift();
      this.clear(oldest, false);
    }
  }

  private clear({ connection, folderId, dispatchIds }: RetiredHost, whole: boolean): void {
    const cleared = this.slots.take('').then(async (release) => {
      await connection.forget(folderId, whole ? { whole } : { dispatchIds });
      connection.end();
      release?.();
      this.clearing.delete(cleared);
    });
    this.clearing.add(cleared);
  }

  private stopTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
