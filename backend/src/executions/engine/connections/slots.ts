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

  constructor(private free: number) {}

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
    const [first] = this.groups;
    if (!first) {
      this.free += 1;
      return;
    }
    const [group, queue] = first;
    const waiter = queue.shift();
    this.groups.delete(group);
    if (queue.length > 0) this.groups.set(group, queue);
    waiter?.begin();
  }
}
