/** Waiting items by key. The keys are served in turn, one item each time, however many items a key has. */
export class RoundRobin<T> {
  /** Keys in order of turns, next one first. Contains no empty lists. */
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
   * @param may whether the key may be served now; if not, it keeps its position
   */
  takeNext(may: (key: string) => boolean = () => true): { key: string; item: T } | undefined {
    for (const [key, own] of this.waiting) {
      if (!may(key)) continue;
      const [item] = own.splice(0, 1) as [T];
      this.count -= 1;
      this.waiting.delete(key);
      if (own.length > 0) this.waiting.set(key, own);
      return { key, item };
    }
    return undefined;
  }

  /** Removes one item. Returns false if the item is not waiting. */
  remove(key: string, item: T): boolean {
    const own = this.waiting.get(key);
    const at = own?.indexOf(item) ?? -1;
    if (!own || at < 0) return false;
    own.splice(at, 1);
    this.count -= 1;
    if (own.length === 0) this.waiting.delete(key);
    return true;
  }

  /** Removes the last item of the key with the most items, if there are more than `least`. */
  takeFromLongest(least: number): T | undefined {
    let longest: [string, T[]] | undefined;
    for (const entry of this.waiting) if (entry[1].length > (longest?.[1].length ?? least)) longest = entry;
    const last = longest?.[1].at(-1);
    if (longest && last !== undefined) this.remove(longest[0], last);
    return last;
  }

  takeAll(): T[] {
    const items = [...this.waiting.values()].flat();
    this.waiting.clear();
    this.count = 0;
    return items;
  }
}
