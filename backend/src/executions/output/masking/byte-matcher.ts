/** Nodes with more children get a table, so that a step compares at most this many siblings. */
const MAX_LISTED_SIBLINGS = 4;
/** Construction steps between two yields: less than a millisecond. */
const NODES_PER_TURN = 4_096;

/**
 * Finds many byte patterns at once, one step per byte (Aho and Corasick, 1975). A state is a node in the trie of all
 * patterns: the longest suffix of the input that is a prefix of a pattern. State 0 is the root: no pattern has begun.
 *
 * Construction takes time and memory linear in the total length of the patterns: 29 bytes per byte of the trie, and 4
 * more during construction. A step takes constant time on average over any text.
 */
export class ByteMatcher {
  readonly depth: Int32Array;
  /**
   * For each node: length of the longest suffix of its text that a pattern can still continue. Less than `depth` where
   * a pattern is complete.
   */
  readonly unfinished: Int32Array;
  /** For each node: node of the longest pattern that ends there; 0 = none. */
  readonly found: Int32Array;
  readonly longest: number;
  readonly first: Int32Array = new Int32Array(256);
  /** For each node: index of the pattern that equals its text; -1 = none. */
  private readonly pattern: Int32Array;
  /** For each node: longest proper suffix of its text that is a prefix of a pattern. */
  private shorter: Int32Array;
  /**
   * Like `shorter`, but skips nodes that have no other continuations than the node itself (Knuth, Morris and Pratt,
   * 1977).
   */
  private readonly fallback: Int32Array;
  private readonly firstChild: Int32Array;
  private readonly nextSibling: Int32Array;
  private readonly byte: Uint8Array;
  private readonly tables = new Map<number, Int32Array>();
  private size = 1;

  private constructor(patterns: readonly Buffer[]) {
    const maxSteps = patterns.reduce((sum, pattern) => sum + pattern.length, 1);
    this.longest = patterns.reduce((longest, pattern) => Math.max(longest, pattern.length), 0);
    this.depth = new Int32Array(maxSteps);
    this.unfinished = new Int32Array(maxSteps);
    this.found = new Int32Array(maxSteps);
    this.pattern = new Int32Array(maxSteps).fill(-1);
    this.shorter = new Int32Array(maxSteps);
    this.fallback = new Int32Array(maxSteps);
    this.firstChild = new Int32Array(maxSteps);
    this.nextSibling = new Int32Array(maxSteps);
    this.byte = new Uint8Array(maxSteps);
  }

  /**
   * Yields regularly, so that the caller can do other work meanwhile.
   * @param patterns not empty; the first of equal patterns counts
   */
  static *buildInSteps(patterns: readonly Buffer[]): Generator<void, ByteMatcher> {
    const matcher = new ByteMatcher(patterns);
    let steps = 0;
    for (const [index, pattern] of patterns.entries()) {
      let node = 0;
      for (const byte of pattern) {
        node = matcher.addNode(node, byte);
        steps += 1;
        if (steps % NODES_PER_TURN === 0) yield;
      }
      if (matcher.pattern[node] === -1) matcher.pattern[node] = index;
    }
    yield* matcher.linkNodes();
    matcher.shorter = new Int32Array(0);
    return matcher;
  }

  step(state: number, byte: number): number {
    for (let node = state; node !== 0; node = this.fallback[node] as number) {
      const child = this.findChild(node, byte);
      if (child !== 0) return child;
    }
    return this.first[byte] as number;
  }

  /**
   * Like `step`, but in bounded time even when the caller copies states, where the average does not apply. After `maxSteps`
   * shorter prefixes the state becomes the root. Only highly self-similar patterns reach this limit.
   */
  stepBounded(maxSteps: number, state: number, byte: number): number {
    let left = maxSteps;
    for (let node = state; node !== 0 && left > 0; node = this.fallback[node] as number) {
      const child = this.findChild(node, byte);
      if (child !== 0) return child;
      left -= 1;
    }
    return this.first[byte] as number;
  }

  findPatternAt(node: number): number {
    return this.pattern[node] as number;
  }

  private findChild(node: number, byte: number): number {
    const first = this.firstChild[node] as number;
    if (this.byte[first] === byte) return first;
    if (this.nextSibling[first] === 0) return 0;
    const table = this.tables.get(node);
    if (table) return table[byte] as number;
    let child = this.nextSibling[first] as number;
    while (child !== 0 && this.byte[child] !== byte) child = this.nextSibling[child] as number;
    return child;
  }

  private addNode(parent: number, byte: number): number {
    const known = parent === 0 ? (this.first[byte] as number) : this.findChild(parent, byte);
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
      const children = this.listChildren(parent);
      if (children.length <= MAX_LISTED_SIBLINGS) return;
      table = new Int32Array(256);
      for (const child of children) table[this.byte[child] as number] = child;
      this.tables.set(parent, table);
    }
    table[this.byte[node] as number] = node;
  }

  private listChildren(node: number): number[] {
    const children: number[] = [];
    for (let child = this.firstChild[node] as number; child !== 0; child = this.nextSibling[child] as number) {
      children.push(child);
    }
    return children;
  }

  /** Breadth first: a node's fallback is less deep and must be complete before the node. */
  private *linkNodes(): Generator<void> {
    const queue = new Int32Array(this.size);
    let queued = 0;
    for (const child of this.listChildren(0)) queue[queued++] = child;
    for (let at = 0; at < queued; at += 1) {
      const node = queue[at] as number;
      const shorter = this.shorter[node] as number;
      this.fallback[node] = (this.hasSameContinuation(shorter, node) ? this.fallback[shorter] : shorter) as number;
      this.found[node] = this.pattern[node] === -1 ? (this.found[shorter] as number) : node;
      this.unfinished[node] = (this.firstChild[node] === 0 ? this.unfinished[shorter] : this.depth[node]) as number;
      for (let child = this.firstChild[node] as number; child !== 0; child = this.nextSibling[child] as number) {
        this.shorter[child] = this.step(shorter, this.byte[child] as number);
        queue[queued++] = child;
      }
      if (at % NODES_PER_TURN === 0) yield;
    }
  }

  /**
   * Whether `shorter` has a single continuation that `node` also has: then a fallback to `shorter` cannot succeed.
   * Checks only the first child of `node`.
   */
  private hasSameContinuation(shorter: number, node: number): boolean {
    const [first, other] = [this.firstChild[node] as number, this.firstChild[shorter] as number];
    if (first === 0 || this.nextSibling[other] !== 0) return false;
    return this.byte[other] === this.byte[first];
  }
}
