import type { ByteMatcher } from './byte-matcher.js';
import { ByteQueue } from './byte-queue.js';

/** A matcher and, by index of its patterns, what stands in the output instead of them. */
export interface MaskedPatterns {
  readonly matcher: ByteMatcher;
  readonly masks: readonly Buffer[];
}

/** A place where a pattern stands; positions count the bytes of the whole stream. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly mask: Buffer;
}

/** Encoders break base64 after 60 (uuencode), 64 (PEM) or 76 (MIME, coreutils) characters, never earlier. */
const MIN_WRAPPED_LINE = 60;

const LF = 0x0a;
const CR = 0x0d;

const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(byte))),
);

/**
 * Replaces every byte that belongs to any occurrence of any pattern. Occurrences that overlap are one gap, with the mask of
 * each pattern in it once; of two where one lies within the other, the longer counts. So where they don't overlap, this is
 * the leftmost-longest match, and where they do, no rest of the second one stays behind.
 *
 * Held back is only what may still become an occurrence: fewer bytes than the longest pattern has, and its line breaks.
 */
export class MaskingStream {
  private exactState = 0;
  private base64State = 0;
  /** Bytes read, and how many of them the base64 matcher saw: it doesn't see the line breaks within wrapped base64. */
  private position = 0;
  private seen = 0;
  /** The value of `seen` at each unseen line break, back to the beginning of what the base64 matcher is in the middle of. */
  private breaks: number[] = [];
  /** Base64 characters on this line up to here, without a gap. */
  private run = 0;
  /** Line-break bytes since the last other byte. */
  private gap = 0;
  /** Occurrences not yet given out, by start and by end: none lies within another. */
  private marks: Mark[] = [];
  private readonly pending = new ByteQueue();
  private gapEnd = 0;
  private readonly gapMasks = new Set<Buffer>();

  constructor(
    private readonly exact: MaskedPatterns,
    private readonly base64: MaskedPatterns,
  ) {}

  /** Takes bytes as they come and gives out what is decided; the answer may be the very buffer that was given. */
  push(bytes: Buffer): Buffer {
    this.scan(bytes);
    const decided = this.decided();
    if (this.pending.length === 0 && this.marks.length === 0 && decided === this.position) {
      this.pending.skip(bytes.length);
      return bytes;
    }
    this.pending.append(bytes);
    return this.release(decided);
  }

  /** Gives out the rest; nothing follows it. */
  end(): Buffer {
    this.exactState = 0;
    this.base64State = 0;
    return this.release(this.position);
  }

  private scan(bytes: Buffer): void {
    const exact = this.exact.matcher;
    const base64 = this.base64.matcher;
    for (const byte of bytes) {
      this.position += 1;
      this.exactState = exact.step(this.exactState, byte);
      const whole = exact.found[this.exactState] as number;
      if (whole !== 0) this.mark(this.exact, whole, this.position - (exact.depth[whole] as number));

      if ((byte === LF || byte === CR) && this.passesBreak()) continue;
      if (this.gap > 0) this.run = 0;
      this.gap = 0;
      this.run = IS_BASE64[byte] === 1 ? this.run + 1 : 0;
      this.seen += 1;
      this.base64State = base64.step(this.base64State, byte);
      const encoded = base64.found[this.base64State] as number;
      if (encoded !== 0) this.mark(this.base64, encoded, this.startOf(base64.depth[encoded] as number));
    }
    // All that startOf may ask for again.
    const oldest = this.seen - (base64.depth[this.base64State] as number);
    if (this.breaks.length > 0) this.breaks = this.breaks.filter((at) => at > oldest);
  }

  /** Whether the base64 matcher goes on behind this line break as if it were not there: one "\n" or "\r\n" after a full line. */
  private passesBreak(): boolean {
    if (this.base64State === 0 || this.run < MIN_WRAPPED_LINE || this.gap === 2) return false;
    this.gap += 1;
    this.breaks.push(this.seen);
    return true;
  }

  /** Where in the stream the last `length` bytes that the base64 matcher saw begin. */
  private startOf(length: number): number {
    const first = this.seen - length;
    let low = 0;
    let high = this.breaks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.breaks[middle] as number) > first) high = middle;
      else low = middle + 1;
    }
    return this.position - length - (this.breaks.length - low);
  }

  /** Everything before this position is decided: no occurrence that is still to be found can begin there. */
  private decided(): number {
    const exact = this.exact.matcher.unfinished[this.exactState] as number;
    const base64 = this.base64.matcher.unfinished[this.base64State] as number;
    return Math.min(this.position - exact, this.startOf(base64));
  }

  private mark(patterns: MaskedPatterns, node: number, start: number): void {
    let last = this.marks.at(-1);
    while (last && last.start >= start) {
      this.marks.pop();
      last = this.marks.at(-1);
    }
    // Both matchers may find something at one byte; the shorter lies within the longer.
    if (last && last.end === this.position) return;
    this.marks.push({ start, end: this.position, mask: patterns.masks[patterns.matcher.patternAt(node)] as Buffer });
  }

  private release(decided: number): Buffer {
    const out: Buffer[] = [];
    let done = 0;
    for (const { start, end, mask } of this.marks) {
      if (start >= decided) break;
      done += 1;
      if (start >= this.gapEnd) {
        out.push(this.pending.takeUntil(start));
        this.gapMasks.clear();
      }
      if (!this.gapMasks.has(mask)) {
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
