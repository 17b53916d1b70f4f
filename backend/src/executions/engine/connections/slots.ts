interface Waiter {
  begin(): void;
}

/** Places for hosts at work. */
export interface HostSlots {
  /** Resolves with the way to give the place back, once there is one; null when the signal fired before. */
  take(group: string, signal?: AbortSignal): Promise<(() => void) | null>;
}

/**
 * A bounded number of places. Who waits is served in turn by group (a tenant), and within a group in the order of
 * asking: one with many hosts does not keep the others waiting.
 */
export class Slots implements HostSlots {
  /** Groups with somebody waiting; the first one is served next and then goes to the end. */
  private readonly groups = new Map<string, Waiter[]>();

  /** Below zero: so many places that are held are given back to nobody. */
  private free: number;

  constructor(private places: number) {
    this.free = places;
  }

  /** Whether somebody waits. */
  get wanted(): boolean {
    return this.groups.size > 0;
  }

  /** From now on there are so many places; those that are held beyond them are not given to others. */
  resize(places: number): void {
    this.free += places - this.places;
    this.places = places;
    while (this.free > 0 && this.begin()) this.free -= 1;
  }

  async take(group: string, signal?: AbortSignal): Promise<(() => void) | null> {
    if (signal?.aborted) return null;
    if (this.free > 0) this.free -= 1;
    else if (!(await this.wait(group, signal))) return null;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.next();
    };
  }

  private wait(group: string, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const queue = this.groups.get(group) ?? [];
      this.groups.set(group, queue);
      const giveUp = (): void => {
        queue.splice(queue.indexOf(waiter), 1);
        if (queue.length === 0 && this.groups.get(group) === queue) this.groups.delete(group);
        resolve(false);
      };
      const waiter: Waiter = {
        begin: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve(true);
        },
      };
      queue.push(waiter);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  private next(): void {
    if (this.free < 0 || !this.begin()) this.free += 1;
  }

  /** Gives a place to who is next. @returns false when nobody waits */
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
