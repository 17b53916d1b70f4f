import { ByteQueue } from './byte-queue.js';

/** Occurrence of a secret, as positions in the whole stream. `mask` is null for padding that belongs to the secret. */
interface MaskedRange {
  readonly start: number;
  readonly end: number;
  readonly mask: Buffer | null;
}

/**
 * Waiting bytes of a stream, and the ranges to mask in them. Overlapping ranges become one gap that contains each mask
 * once. A range within a longer one is dropped. So separate matches are leftmost-longest, and overlapping matches leave
 * no part of a secret.
 */
export class MaskedRanges {
  /** Marks that were not returned yet, sorted by start and end. No mark lies within another. */
  private marks: MaskedRange[] = [];
  private readonly pending = new ByteQueue();
  private gapEnd = 0;
  private readonly gapMasks = new Set<Buffer>();

  get isIdle(): boolean {
    return this.marks.length === 0 && this.pending.length === 0;
  }

  addRange(start: number, end: number, mask: Buffer): void {
    let last = this.marks.at(-1);
    // When two matches end at the same byte, the longer one counts; of equal matches the first.
    if (last && last.end === end && last.start <= start) return;
    while (last && last.start >= start) {
      this.marks.pop();
      last = this.marks.at(-1);
    }
    this.marks.push({ start, end, mask });
  }

  /** Extends the match right before this byte by the byte that ends at `end`. */
  extendLast(end: number): void {
    this.marks.push({ start: end - 1, end, mask: null });
  }

  advancePosition(count: number): void {
    this.pending.skipBytes(count);
  }

  appendBytes(bytes: Buffer): void {
    this.pending.appendBytes(bytes);
  }

  /** Returns everything before this position, masked. No later match may begin before the position. */
  releaseMasked(decided: number): Buffer {
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
