/** Asks again whether somebody may go on reading. Rejects when not; resolves when it can't be told at the moment. */
export type Recheck = () => Promise<void>;

interface Shared {
  timer: NodeJS.Timeout;
  cutOffs: Set<() => void>;
}

/**
 * Asks again, at intervals, for streams that are open: once for all streams of one credential at one run, since the answer
 * is the same. Many tabs, or many watchers that share a token, cost what one does.
 */
export class SharedRechecks {
  private readonly shared = new Map<string, Shared>();

  /** @param everyMs between the end of one question and the next */
  constructor(private readonly everyMs: number) {}

  /**
   * @param key tells what the answer hangs on: streams with the same key share their questions
   * @param recheck asked as long as one of them is open
   * @param cutOff called when the answer was no
   * @returns ends it for this stream
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
