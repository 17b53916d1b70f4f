/** Items waiting by key. Keys are served in turn, one item at a time, regardless of their number of items. */
export class RoundRobin<T> {
  /** Ordered by turn, next key first; contains no empty lists. */
  private readonly waiting = new Map<string, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  countOf(key: string): number {
    return this.waiting.get(key)?.length ?? 0;
  }

  add(key: string, item: T): void {
    const own = this.waiting.get(key);
    if (own) own.push(item);
    else this.waiting.set(key, [item]);
    this.count += 1;
  }

  /**
   * Removes the first item of the next key.
   * @param may whether the key may be served now; otherwise it keeps its place
   */
  take(may: (key: string) => boolean = () => true): { key: string; item: T } | undefined {
    for (const [key, own] of this.waiting) {
      if (!may(key)) continue;
      const [item] = own.splice(0, 1) as [T];
      this.count -= 1;
      this.waiting.delete(key);
      // Moves the key to the end.
      if (own.length > 0) this.waiting.set(key, own);
      return { key, item };
    }
    return undefined;
  }

  /** Removes one item; returns false if it is not waiting. */
  remove(key: string, item: T): boolean {
    const own = this.waiting.get(key);
    const at = own?.indexOf(item) ?? -1;
    if (!own || at < 0) return false;
    own.splice(at, 1);
    this.count -= 1;
    if (own.length === 0) this.waiting.delete(key);
    return true;
  }

  /** Removes the last item of the longest key, if it has more than `least` items. */
  takeFromLongest(least: number): T | undefined {
    let longest: [string, T[]] | undefined;
    for (const entry of this.waiting) if (entry[1].length > (longest?.[1].length ?? least)) longest = entry;
    const last = longest?.[1].at(-1);
    if (longest && last !== undefined) this.remove(longest[0], last);
    return last;
  }

  clear(): T[] {
    const items = [...this.waiting.values()].flat();
    this.waiting.clear();
    this.count = 0;
    return items;
  }
}
