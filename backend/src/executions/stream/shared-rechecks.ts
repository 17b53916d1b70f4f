/** Rejects when the stream must end. Resolves when it may continue, or when the database is unavailable. */
export type Recheck = () => Promise<void>;

interface SharedRecheck {
  timer: NodeJS.Timeout;
  closeFunctions: Set<() => void>;
}

/**
 * Runs rechecks of open streams at intervals. Streams of one credential and one run share a recheck, because the result
 * is the same. Many tabs, or many watchers that share a token, cost as much as one.
 */
export class SharedRechecks {
  private readonly shared = new Map<string, SharedRecheck>();

  /** @param everyMs pause between the end of one recheck and the next */
  constructor(private readonly everyMs: number) {}

  /**
   * @param key identifies everything that the result depends on: streams with the same key share rechecks
   * @param recheck repeated as long as one of the streams is open
   * @param closeStream called after the recheck has rejected
   * @returns a function that removes the stream
   */
  joinRecheck(key: string, recheck: Recheck, closeStream: () => void): () => void {
    const entry = this.shared.get(key) ?? this.beginRecheck(key, recheck);
    entry.closeFunctions.add(closeStream);
    return () => {
      entry.closeFunctions.delete(closeStream);
      if (entry.closeFunctions.size === 0) this.endRecheck(key, entry);
    };
  }

  private beginRecheck(key: string, recheck: Recheck): SharedRecheck {
    const ask = () =>
      void recheck().then(
        () => {
          if (this.shared.get(key) === entry) entry.timer = setTimeout(ask, this.everyMs);
        },
        () => {
          this.endRecheck(key, entry);
          for (const closeStream of entry.closeFunctions) closeStream();
        },
      );
    const entry: SharedRecheck = { timer: setTimeout(ask, this.everyMs), closeFunctions: new Set() };
    this.shared.set(key, entry);
    return entry;
  }

  private endRecheck(key: string, entry: SharedRecheck): void {
    clearTimeout(entry.timer);
    if (this.shared.get(key) === entry) this.shared.delete(key);
  }
}
