import { ByteQueue } from './byte-queue.js';

/** A place where a secret stands; positions count the bytes of the whole stream. Without a mask: padding that belongs to it. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly mask: Buffer | null;
}

/**
 * Bytes of a stream that wait, and what is to be masked in them. Marks that overlap are one gap, with the mask of each in
 * it once; of two where one lies within the other, the longer counts. So where they don't overlap, this is the
 * leftmost-longest match, and where they do, no rest of the second one stays behind.
 */
export class Marks {
  /** Marks not yet given out, by start and by end: none lies within another. */
  private marks: Mark[] = [];
  private readonly pending = new ByteQueue();
  private gapEnd = 0;
  private readonly gapMasks = new Set<Buffer>();

  /** Whether nothing waits. */
  get idle(): boolean {
    return this.marks.length === 0 && this.pending.length === 0;
  }

  /** Something was found that ends with the last byte that was read. */
  add(start: number, end: number, mask: Buffer): void {
    let last = this.marks.at(-1);
    // Found in two ways at one byte: the shorter lies within the longer, and of equal ones the first counts.
    if (last && last.end === end && last.start <= start) return;
    while (last && last.start >= start) {
      this.marks.pop();
      last = this.marks.at(-1);
    }
    this.marks.push({ start, end, mask });
  }

  /** The byte that ends here belongs to what was found right before it. */
  extend(end: number): void {
    this.marks.push({ start: end - 1, end, mask: null });
  }

  /** Lets bytes pass in which nothing was found. Only while nothing waits. */
  pass(count: number): void {
    this.pending.skip(count);
  }

  append(bytes: Buffer): void {
    this.pending.append(bytes);
  }

  /** Gives out everything before this position, masked. Nothing may be found later that begins before it. */
  release(decided: number): Buffer {
    const out: Buffer[] = [];
    let done = 0;
    for (const { start, end, mask } of this.marks) {
      if (start >= decided) break;
      done += 1;
      if (start >= this.gapEnd && mask) {
        out.push(this.pending.takeUntil(start));
        this.gapMasks.clear();
      }
      if (mask && !this.gapMasks.has(mask)) {
        this.gapMasks.add(mask);
        out.push(mask);
      }
      this.gapEnd = end;
      this.pending.takeUntil(end);
    }
    this.marks.splice(0, done);
    out.push(this.pending.takeUntil(decided));
    return out.length === 1 ? (out[0] as Buffer) : Buffer.concat(out);
  }
}
