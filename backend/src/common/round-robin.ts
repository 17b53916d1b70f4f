/** Items that wait by key. Keys are served in turn, one item at a time, however many each of them has. */
export class RoundRobin<T> {
  /** The key whose turn is next comes first; none is without an item. */
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
   * Takes out the first item of the key whose turn it is.
   * @param may whether it can be the key's turn now; it keeps its place when not
   */
  take(may: (key: string) => boolean = () => true): { key: string; item: T } | undefined {
    for (const [key, own] of this.waiting) {
      if (!may(key)) continue;
      const [item] = own.splice(0, 1) as [T];
      this.count -= 1;
      this.waiting.delete(key);
      // Behind all others: its next turn comes after theirs.
      if (own.length > 0) this.waiting.set(key, own);
      return { key, item };
    }
    return undefined;
  }

  /** Takes out one item; false when it does not wait. */
  remove(key: string, item: T): boolean {
    const own = this.waiting.get(key);
    const at = own?.indexOf(item) ?? -1;
    if (!own || at < 0) return false;
    own.splice(at, 1);
    this.count -= 1;
    if (own.length === 0) this.waiting.delete(key);
    return true;
  }

  /** Takes out the last item of the key that has most, if it has more than `least`. */
  takeFromLongest(least: number): T | undefined {
    let longest: [string, T[]] | undefined;
    for (const entry of this.waiting) if (entry[1].length > (longest?.[1].length ?? least)) longest = entry;
    const last = longest?.[1].at(-1);
    if (longest && last !== undefined) this.remove(longest[0], last);
    return last;
  }

  /** Takes out all items. */
  clear(): T[] {
    const items = [...this.waiting.values()].flat();
    this.waiting.clear();
    this.count = 0;
    return items;
  }
}
