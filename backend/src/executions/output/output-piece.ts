export type OutputStream = 'stdout' | 'stderr';

/**
 * A part of one stream of one host and step, ready to be stored: either the continuation of one line, or new lines with
 * consecutive numbers. The data of all chunks of a stream, one after another, is the stream byte for byte.
 */
export interface OutputChunk {
  stream: OutputStream;
  /** Number of the line that the data begins with, or goes on with. Lines count from 1 over both streams, as they begin. */
  firstLine: number;
  /** Lines that begin in this chunk; 0 for a continuation. */
  lineCount: number;
  /** The data goes on with line `firstLine`, whose beginning came in an earlier chunk (or was dropped). */
  continues: boolean;
  /** The last line has no line end in this chunk. */
  openEnded: boolean;
  /** At most 16 KiB; "\r\n" and bytes that are not UTF-8 as they came. */
  data: Buffer;
  /** When the first byte came, in milliseconds since 1970 or whatever clock the caller uses. */
  at: number;
}

/** Most bytes of a chunk. */
export const CHUNK_BYTES = 16 * 1024;

const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

/** A chunk while it is put together. Copies what it is given, so that a few bytes never keep a large network buffer alive. */
export class OutputPiece {
  lineCount = 0;
  openEnded = true;
  /** Where the last line begins in the data, and when that beginning came. */
  private lastLineFrom = 0;
  private lastLineAt: number;
  private from = 0;
  private to = 0;

  constructor(
    readonly stream: OutputStream,
    public firstLine: number,
    public continues: boolean,
    public at: number,
    /** Written over. */
    private memory: Buffer = NOTHING,
  ) {
    this.lastLineAt = at;
  }

  get size(): number {
    return this.to - this.from;
  }

  get room(): number {
    return CHUNK_BYTES - this.size;
  }

  get lastLine(): number {
    return this.firstLine + Math.max(0, this.lineCount - 1);
  }

  /** Whether a chunk may go on with this line: the one that is open at its end, or the next number when none is. */
  accepts(line: number, begins: boolean): boolean {
    if (begins) return !this.openEnded && !this.continues && this.lastLine + 1 === line;
    return this.openEnded && this.lastLine === line;
  }

  append(bytes: Buffer, begins: boolean, ends: boolean, at: number): void {
    if (begins) {
      this.lineCount += 1;
      this.lastLineFrom = this.to;
      this.lastLineAt = at;
    }
    this.openEnded = !ends;
    this.reserve(bytes.length);
    this.to += bytes.copy(this.memory, this.to);
  }

  /** Appends whole lines, the first of which begins here. @returns how many */
  appendLines(bytes: Buffer, from: number, to: number, at: number): number {
    let count = 1;
    let last = from;
    for (let place = from; place < to - 1; place += 1) {
      if (bytes[place] !== LF) continue;
      count += 1;
      last = place + 1;
    }
    this.reserve(to - from);
    this.lineCount += count;
    this.lastLineFrom = this.to + last - from;
    this.lastLineAt = at;
    this.openEnded = false;
    this.to += bytes.copy(this.memory, this.to, from, to);
    return count;
  }

  /** Cuts the line off that is open at the end, unless it is all there is. The rest is a piece of its own. */
  splitLastLine(): OutputPiece | null {
    if (!this.openEnded || this.lastLineFrom === this.from) return null;
    const rest = new OutputPiece(this.stream, this.lastLine, false, this.lastLineAt);
    rest.append(this.memory.subarray(this.lastLineFrom, this.to), true, false, this.lastLineAt);
    this.to = this.lastLineFrom;
    this.lineCount -= 1;
    this.openEnded = false;
    return rest;
  }

  /**
   * Cuts the beginning of an unfinished UTF-8 character off the end, so that each part can be read by itself. The rest is a
   * piece of its own; null when there is none to cut off, or nothing would be left.
   */
  splitCharacter(at: number): OutputPiece | null {
    const end = characterEnd(this.memory.subarray(this.from, this.to));
    if (end === 0 || end === this.size) return null;
    const rest = new OutputPiece(this.stream, this.lastLine, true, at);
    rest.append(this.memory.subarray(this.from + end, this.to), false, false, at);
    this.to = this.from + end;
    return rest;
  }

  /** Drops the first lines, at least so many bytes of them, but never the last line. @returns how many bytes they had */
  dropLines(bytes: number): number {
    const { from } = this;
    while (this.lineCount > 1 && this.from - from < bytes) {
      while (this.memory[this.from] !== LF) this.from += 1;
      this.from += 1;
      this.lineCount -= 1;
      this.firstLine += 1;
    }
    return this.from - from;
  }

  /** Drops the beginning of the only line that is here. */
  dropBytes(count: number): void {
    this.from += count;
    this.lastLineFrom = this.from;
    this.lineCount = 0;
    this.continues = true;
  }

  toChunk(): OutputChunk {
    const { stream, firstLine, lineCount, continues, openEnded, at } = this;
    return { stream, firstLine, lineCount, continues, openEnded, data: this.memory.subarray(this.from, this.to), at };
  }

  /** The memory of a piece that is dropped; null when it is too small to be worth keeping. */
  memoryOfChunk(): Buffer | null {
    return this.memory.length === CHUNK_BYTES ? this.memory : null;
  }

  private reserve(more: number): void {
    if (this.to + more <= this.memory.length) return;
    const needed = this.size + more;
    const memory = Buffer.allocUnsafeSlow(needed <= 64 ? needed : Math.min(CHUNK_BYTES, 2 * needed));
    const length = this.memory.copy(memory, 0, this.from, this.to);
    this.lastLineFrom -= this.from;
    this.from = 0;
    this.to = length;
    this.memory = memory;
  }
}

/** The length of `bytes` without an unfinished UTF-8 character at the end; their whole length when it is no UTF-8 there. */
function characterEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return byte < 0xf8 && back < needed ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
