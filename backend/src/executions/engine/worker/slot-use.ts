import type { HostSlots } from '../connections/slots.js';

export interface WorkerLoad {
  /** Utilization of the event loop, from 0 to 1. */
  busy: number;
  hasWaitingHosts: boolean;
}

/** Initial number of host slots. It ignores the load, because a host that waits for its command costs little. */
export const INITIAL_SLOTS = 50;
const MIN_SLOTS = 20;
/** Below `LOW_UTILIZATION` the worker has time for more hosts; above `HIGH_UTILIZATION` it has too many. */
const LOW_UTILIZATION = 0.7;
const HIGH_UTILIZATION = 0.95;
const SLOT_INCREMENT = 10;

/**
 * Returns the new number of host slots for the measured load. It grows when the thread has time and hosts wait, and
 * shrinks by a tenth when the thread is saturated.
 * @param limit upper limit from the settings
 */
export function computeNextSlotCount(places: number, { busy, hasWaitingHosts }: WorkerLoad, limit: number): number {
  if (busy > HIGH_UTILIZATION) return Math.min(limit, Math.max(MIN_SLOTS, Math.floor(places * 0.9)));
  return busy < LOW_UTILIZATION && hasWaitingHosts ? Math.min(limit, places + SLOT_INCREMENT) : places;
}

/** Counts the host slots that a run or slice holds or waits for. Detects when it needs almost none. */
export class SlotUse implements HostSlots {
  private demand = 0;
  private readonly watchers = new Set<() => void>();

  constructor(private readonly slots: HostSlots) {}

  async takeSlot(group: string, signal?: AbortSignal): Promise<(() => void) | null> {
    this.changeDemand(1);
    const release = await this.slots.takeSlot(group, signal);
    if (!release) {
      this.changeDemand(-1);
      return null;
    }
    let isHeld = true;
    return () => {
      release();
      if (isHeld) this.changeDemand(-1);
      isHeld = false;
    };
  }

  /** Resolves when, for `ms`, at most `few` slots were held or waited for. Also resolves when `over` fires. */
  async waitUntilIdle(few: number, ms: number, over: AbortSignal): Promise<void> {
    if (over.aborted) return;
    await new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const done = (): void => {
        clearTimeout(timer);
        this.watchers.delete(update);
        over.removeEventListener('abort', done);
        resolve();
      };
      const update = (): void => {
        if (this.demand > few) {
          clearTimeout(timer);
          timer = undefined;
        } else timer ??= setTimeout(done, ms);
      };
      this.watchers.add(update);
      over.addEventListener('abort', done, { once: true });
      update();
    });
  }

  private changeDemand(more: 1 | -1): void {
    this.demand += more;
    for (const update of [...this.watchers]) update();
  }
}
