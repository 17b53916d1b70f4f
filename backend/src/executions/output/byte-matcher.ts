/** More children than this get a table of their own, so that one step looks at no more than this many. */
const MOST_SIBLINGS = 4;

/**
 * Finds many byte patterns at once, one step a byte (Aho and Corasick, 1975). A state is a node of the tree of all patterns:
 * the longest end of what was read that is the beginning of a pattern. State 0 is the root: nothing has begun.
 *
 * Building takes time and memory linear in the length of all patterns (29 bytes for each byte), a step constant time on
 * average over any text.
 */
export class ByteMatcher {
  /** By node: length of the text that leads there. */
  readonly depth: Int32Array;
  /** By node: how much of the end of that text a pattern may still go on from; less than depth where a pattern is complete. */
  readonly unfinished: Int32Array;
  /** By node: the node of the longest pattern that ends there, 0 when none does. */
  readonly found: Int32Array;
  /** By node: which pattern ends exactly there, -1 when none does. */
  private readonly pattern: Int32Array;
  private readonly fallback: Int32Array;
  private readonly firstChild: Int32Array;
  private readonly nextSibling: Int32Array;
  private readonly byte: Uint8Array;
  private readonly tables = new Map<number, Int32Array>();
  private readonly rootTable = new Int32Array(256);
  private size = 1;

  /** @param patterns none of them empty; of equal ones the first counts */
  constructor(patterns: readonly Buffer[]) {
    const most = patterns.reduce((sum, pattern) => sum + pattern.length, 1);
    this.depth = new Int32Array(most);
    this.unfinished = new Int32Array(most);
    this.found = new Int32Array(most);
    this.pattern = new Int32Array(most).fill(-1);
    this.fallback = new Int32Array(most);
    this.firstChild = new Int32Array(most);
    this.nextSibling = new Int32Array(most);
    this.byte = new Uint8Array(most);
    patterns.forEach((pattern, index) => this.insert(pattern, index));
    this.link();
  }

  /** The state after `byte` was read in `state`. */
  step(state: number, byte: number): number {
    for (let node = state; node !== 0; node = this.fallback[node] as number) {
      const child = this.child(node, byte);
      if (child !== 0) return child;
    }
    return this.rootTable[byte] as number;
  }

  /** Index of the pattern that ends at a node that {@link found} names. */
  patternAt(node: number): number {
    return this.pattern[node] as number;
  }

  private child(node: number, byte: number): number {
    const first = this.firstChild[node] as number;
    if (first === 0 || this.byte[first] === byte) return first;
    if (this.nextSibling[first] === 0) return 0;
    const table = this.tables.get(node);
    if (table) return table[byte] as number;
    let child = this.nextSibling[first] as number;
    while (child !== 0 && this.byte[child] !== byte) child = this.nextSibling[child] as number;
    return child;
  }

  private insert(pattern: Buffer, index: number): void {
    let node = 0;
    for (const byte of pattern) {
      let child = node === 0 ? (this.rootTable[byte] as number) : this.child(node, byte);
      if (child === 0) child = this.grow(node, byte);
      node = child;
    }
    if (this.pattern[node] === -1) this.pattern[node] = index;
  }

  private grow(parent: number, byte: number): number {
    const node = this.size;
    this.size += 1;
    this.byte[node] = byte;
    this.depth[node] = (this.depth[parent] as number) + 1;
    this.nextSibling[node] = this.firstChild[parent] as number;
    this.firstChild[parent] = node;
    if (parent === 0) this.rootTable[byte] = node;
    else this.addToTable(parent, node);
    return node;
  }

  private addToTable(parent: number, node: number): void {
    let table = this.tables.get(parent);
    if (!table) {
      const children = this.childrenOf(parent);
      if (children.length <= MOST_SIBLINGS) return;
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

  /** Level by level, so that what a node falls back to, being shorter, is complete before it. */
  private link(): void {
    const queue = this.childrenOf(0);
    for (let at = 0; at < queue.length; at += 1) {
      const node = queue[at] as number;
      const fallback = this.fallback[node] as number;
      this.found[node] = this.pattern[node] === -1 ? (this.found[fallback] as number) : node;
      const children = this.childrenOf(node);
      this.unfinished[node] = (children.length > 0 ? this.depth[node] : this.unfinished[fallback]) as number;
      for (const child of children) {
        this.fallback[child] = this.step(fallback, this.byte[child] as number);
        queue.push(child);
      }
    }
  }
}
