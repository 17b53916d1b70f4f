/** Nodes with more children get a table, so that one step checks at most this many. */
const MAX_SIBLINGS = 4;
/** Steps of building between two yields: less than a millisecond. */
const STEPS = 4_096;

/**
 * Finds many byte patterns at once, one step per byte (Aho and Corasick, 1975). A state is a node of the trie of all
 * patterns: the longest suffix of the input that is a prefix of a pattern. State 0 is the root: nothing has begun.
 *
 * Building takes time and memory linear in the length of all patterns (29 bytes per kept byte, and four more while
 * building). A step takes constant time on average over any text.
 */
export class ByteMatcher {
  readonly depth: Int32Array;
  /**
   * By node: length of the suffix of its text that a pattern may still continue; less than depth where a pattern is
   * complete.
   */
  readonly unfinished: Int32Array;
  /** By node: node of the longest pattern that ends there, 0: none. */
  readonly found: Int32Array;
  readonly longest: number;
  readonly first: Int32Array = new Int32Array(256);
  /** By node: index of the pattern that ends exactly there, -1: none. */
  private readonly pattern: Int32Array;
  /** By node: longest proper suffix of its text that is a prefix of a pattern. */
  private shorter: Int32Array;
  /**
   * By node: the same, without nodes that have the same continuations as the node itself (Knuth, Morris and Pratt,
   * 1977).
   */
  private readonly fallback: Int32Array;
  private readonly firstChild: Int32Array;
  private readonly nextSibling: Int32Array;
  private readonly byte: Uint8Array;
  private readonly tables = new Map<number, Int32Array>();
  private size = 1;

  private constructor(patterns: readonly Buffer[]) {
    const most = patterns.reduce((sum, pattern) => sum + pattern.length, 1);
    this.longest = patterns.reduce((longest, pattern) => Math.max(longest, pattern.length), 0);
    this.depth = new Int32Array(most);
    this.unfinished = new Int32Array(most);
    this.found = new Int32Array(most);
    this.pattern = new Int32Array(most).fill(-1);
    this.shorter = new Int32Array(most);
    this.fallback = new Int32Array(most);
    this.firstChild = new Int32Array(most);
    this.nextSibling = new Int32Array(most);
    this.byte = new Uint8Array(most);
  }

  /**
   * Builds in steps, so that the caller can do other work between two of them.
   * @param patterns none of them empty; of equal ones the first counts
   */
  static *building(patterns: readonly Buffer[]): Generator<void, ByteMatcher> {
    const matcher = new ByteMatcher(patterns);
    let steps = 0;
    for (const [index, pattern] of patterns.entries()) {
      let node = 0;
      for (const byte of pattern) {
        node = matcher.grown(node, byte);
        steps += 1;
        if (steps % STEPS === 0) yield;
      }
      if (matcher.pattern[node] === -1) matcher.pattern[node] = index;
    }
    yield* matcher.link();
    matcher.shorter = new Int32Array(0);
    return matcher;
  }

  step(state: number, byte: number): number {
    for (let node = state; node !== 0; node = this.fallback[node] as number) {
      const child = this.child(node, byte);
      if (child !== 0) return child;
    }
    return this.first[byte] as number;
  }

  /**
   * The same in bounded time, also where states are copied and the average does not apply. After `most` shorter
   * prefixes the state becomes the root. Only highly self-similar patterns reach this limit.
   */
  stepWithin(most: number, state: number, byte: number): number {
    let left = most;
    for (let node = state; node !== 0 && left > 0; node = this.fallback[node] as number) {
      const child = this.child(node, byte);
      if (child !== 0) return child;
      left -= 1;
    }
    return this.first[byte] as number;
  }

  /** Index of the pattern that ends at a node from {@link found}. */
  patternAt(node: number): number {
    return this.pattern[node] as number;
  }

  private child(node: number, byte: number): number {
    const first = this.firstChild[node] as number;
    if (this.byte[first] === byte) return first;
    if (this.nextSibling[first] === 0) return 0;
    const table = this.tables.get(node);
    if (table) return table[byte] as number;
    let child = this.nextSibling[first] as number;
    while (child !== 0 && this.byte[child] !== byte) child = this.nextSibling[child] as number;
    return child;
  }

  private grown(parent: number, byte: number): number {
    const known = parent === 0 ? (this.first[byte] as number) : this.child(parent, byte);
    if (known !== 0) return known;
    const node = this.size;
    this.size += 1;
    this.byte[node] = byte;
    this.depth[node] = (this.depth[parent] as number) + 1;
    this.nextSibling[node] = this.firstChild[parent] as number;
    this.firstChild[parent] = node;
    if (parent === 0) this.first[byte] = node;
    else this.addToTable(parent, node);
    return node;
  }

  private addToTable(parent: number, node: number): void {
    let table = this.tables.get(parent);
    if (!table) {
      const children = this.childrenOf(parent);
      if (children.length <= MAX_SIBLINGS) return;
      table = new Int32Array(256);
      for (const child of children) table[this.byte[child] as number] = child;
      this.tables.set(parent, table);
    }
    table[this.byte[node] as number] = node;
  }

  private childrenOf(node: number): number[] {
    const children: number[] = [];
    for (let child = this.firstChild[node] as number; child !== 0; child = this.nextSibling[child] as number) {
      children.push(child);
    }
    return children;
  }

  /** Breadth first, because a node's fallback is shorter and must be complete before it. */
  private *link(): Generator<void> {
    const queue = new Int32Array(this.size);
    let queued = 0;
    for (const child of this.childrenOf(0)) queue[queued++] = child;
    for (let at = 0; at < queued; at += 1) {
      const node = queue[at] as number;
      const shorter = this.shorter[node] as number;
      this.fallback[node] = (this.goesOnLike(shorter, node) ? this.fallback[shorter] : shorter) as number;
      this.found[node] = this.pattern[node] === -1 ? (this.found[shorter] as number) : node;
      this.unfinished[node] = (this.firstChild[node] === 0 ? this.unfinished[shorter] : this.depth[node]) as number;
      for (let child = this.firstChild[node] as number; child !== 0; child = this.nextSibling[child] as number) {
        this.shorter[child] = this.step(shorter, this.byte[child] as number);
        queue[queued++] = child;
      }
      if (at % STEPS === 0) yield;
    }
  }

  /** Whether every continuation of `shorter` is also one of `node`; false where `shorter` has several children. */
  private goesOnLike(shorter: number, node: number): boolean {
    const [first, other] = [this.firstChild[node] as number, this.firstChild[shorter] as number];
    if (first === 0 || this.nextSibling[other] !== 0) return false;
    return this.byte[other] === this.byte[first];
  }
}
