/** Rejects when the stream must end. Resolves when it may continue, or when the database is unavailable. */
export type Recheck = () => Promise<void>;

interface Shared {
  timer: NodeJS.Timeout;
  cutOffs: Set<() => void>;
}

/**
 * Runs rechecks of open streams at intervals. Streams of one credential and one run share a recheck, because the result
 * is the same. Many tabs, or many watchers that share a token, cost as much as one.
 */
export class SharedRechecks {
  private readonly shared = new Map<string, Shared>();

  /** @param everyMs pause between the end of one recheck and the next */
  constructor(private readonly everyMs: number) {}

  /**
   * @param key identifies everything that the result depends on: streams with the same key share rechecks
   * @param recheck repeated as long as one of the streams is open
   * @param cutOff called after the recheck has rejected
   * @returns a function that removes the stream
   */
  join(key: string, recheck: Recheck, cutOff: () => void): () => void {
    const entry = this.shared.get(key) ?? this.begin(key, recheck);
    entry.cutOffs.add(cutOff);
    return () => {
      entry.cutOffs.delete(cutOff);
      if (entry.cutOffs.size === 0) this.end(key, entry);
    };
  }

  private begin(key: string, recheck: Recheck): Shared {
    const ask = () =>
      void recheck().then(
        () => {
          if (this.shared.get(key) === entry) entry.timer = setTimeout(ask, this.everyMs);
        },
        () => {
          this.end(key, entry);
          for (const cutOff of entry.cutOffs) cutOff();
        },
      );
    const entry: Shared = { timer: setTimeout(ask, this.everyMs), cutOffs: new Set() };
    this.shared.set(key, entry);
    return entry;
  }

  private end(key: string, entry: Shared): void {
    clearTimeout(entry.timer);
    if (this.shared.get(key) === entry) this.shared.delete(key);
  }
}
