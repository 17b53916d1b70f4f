interface WaitingHost {
  begin(): void;
}

export interface HostSlots {
  /** Resolves with a function that releases the slot; null: the signal fired first. */
  takeSlot(group: string, signal?: AbortSignal): Promise<(() => void) | null>;
}

/**
 * A bounded number of slots. Groups (tenants) are served round robin, and requests within a group in order of arrival.
 * So a tenant with many hosts does not delay other tenants.
 */
export class SlotPool implements HostSlots {
  /** Groups with waiting requests, in the order in which they are served. */
  private readonly groups = new Map<string, WaitingHost[]>();

  /** If negative, that many slots in use disappear when they are released. */
  private freeSlots: number;

  constructor(private places: number) {
    this.freeSlots = places;
  }

  get usedSlots(): number {
    return this.places - this.freeSlots;
  }

  get hasWaiting(): boolean {
    return this.groups.size > 0;
  }

  /** Changes the number of slots. Surplus slots in use disappear when they are released. */
  resize(places: number): void {
    this.freeSlots += places - this.places;
    this.places = places;
    while (this.freeSlots > 0 && this.begin()) this.freeSlots -= 1;
  }

  async takeSlot(group: string, signal?: AbortSignal): Promise<(() => void) | null> {
    if (signal?.aborted) return null;
    if (this.freeSlots > 0) this.freeSlots -= 1;
    else if (!(await this.waitForSlot(group, signal))) return null;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.startNextWaiting();
    };
  }

  private waitForSlot(group: string, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const queue = this.groups.get(group) ?? [];
      this.groups.set(group, queue);
      const giveUp = (): void => {
        queue.splice(queue.indexOf(waiter), 1);
        if (queue.length === 0 && this.groups.get(group) === queue) this.groups.delete(group);
        resolve(false);
      };
      const waiter: WaitingHost = {
        begin: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve(true);
        },
      };
      queue.push(waiter);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  private startNextWaiting(): void {
    if (this.freeSlots < 0 || !this.begin()) this.freeSlots += 1;
  }

  /** Gives a slot to the next request. @returns false if no request waits */
  private begin(): boolean {
    const [first] = this.groups;
    if (!first) return false;
    const [group, queue] = first;
    const waiter = queue.shift();
    this.groups.delete(group);
    if (queue.length > 0) this.groups.set(group, queue);
    waiter?.begin();
    return true;
  }
}
