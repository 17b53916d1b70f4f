import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import { SlotPool } from './slots.js';

/**
 * Delay before a host clears its journal, in ms. Clearing costs as much as a command, and hosts with remaining steps
 * come first.
 */
const CLEAR_DELAY_MS = 5_000;
const MAX_RETIRED_HOSTS = 200;
const MAX_PARALLEL_CLEARS = 20;

export interface RetiredHost {
  serverId: string;
  connection: Pick<SshConnection, 'forget' | 'end'>;
  folderId: string;
  dispatchIds: readonly string[];
}

interface WaitingHost extends RetiredHost {
  since: number;
}

/** Hosts that have no step left while the run continues. Each clears its journal, then its connection ends. */
export class RetiredHosts {
  private readonly waiting: WaitingHost[] = [];
  private readonly runningClears = new Set<Promise<void>>();
  private readonly slots = new SlotPool(MAX_PARALLEL_CLEARS);
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(host: RetiredHost): void {
    this.waiting.push({ ...host, since: this.now() });
    this.clearOldest();
  }

  /**
   * Clears all journals when the run is over. A host in `keep` clears only commands with stored results, because the
   * result of another command may still be requested.
   */
  async clearAll(keep: ReadonlySet<string>): Promise<void> {
    this.stopTimer();
    for (const host of this.waiting.splice(0)) this.clear(host, !keep.has(host.serverId));
    await Promise.allSettled(this.runningClears);
  }

  stop(): void {
    this.stopTimer();
    for (const { connection } of this.waiting.splice(0)) connection.end();
  }

  private clearOldest(): void {
    this.stopTimer();
    const now = this.now();
    for (let [oldest] = this.waiting; oldest; [oldest] = this.waiting) {
      const inMs = oldest.since + CLEAR_DELAY_MS - now;
      if (this.waiting.length <= MAX_RETIRED_HOSTS && inMs > 0) {
        this.timer = setTimeout(() => this.clearOldest(), inMs);
        return;
      }
      this.waiting.shift();
      this.clear(oldest, false);
    }
  }

  private clear({ connection, folderId, dispatchIds }: RetiredHost, removesFolder: boolean): void {
    const clearPromise = this.slots.takeSlot('').then(async (release) => {
      await connection.forget(folderId, removesFolder ? { whole: removesFolder } : { dispatchIds });
      connection.end();
      release?.();
      this.runningClears.delete(clearPromise);
    });
    this.runningClears.add(clearPromise);
  }

  private stopTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
