import type { HostSlots } from '../connections/slots.js';

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
