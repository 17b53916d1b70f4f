export type OutputStream = 'stdout' | 'stderr';

/**
 * Part of one output stream of a step on a host: the continuation of one line, or new lines with consecutive numbers.
 * The concatenated data of all chunks equals the stream.
 */
export interface OutputChunk {
  stream: OutputStream;
  /**
   * Number of the first line, or of the line that is continued. Lines are numbered from 1 over both streams, in order
   * of their first byte.
   */
  firstLine: number;
  /** Number of lines that begin in this chunk, or whose earlier part was dropped; 0 = continuation of a stored line. */
  lineCount: number;
  /** The data continues line `firstLine` of an earlier chunk, which may have been dropped. */
  continues: boolean;
  openEnded: boolean;
  /** At most 16 KiB. Contains "\r\n" and invalid UTF-8 unchanged. */
  data: Buffer;
  /** Time of the first byte, in ms on the caller's clock, usually since 1970. */
  at: number;
}

export const CHUNK_BYTES = 16 * 1024;

const LF = 0x0a;
const NO_BYTES = Buffer.alloc(0);

/** Builds a chunk. Copies its input, so that a few bytes never keep a large network buffer alive. */
export class OutputPiece {
  lineCount = 0;
  openEnded = true;
  private lastLineFrom = 0;
  private lastLineAtMs: number;
  private from = 0;
  private to = 0;

  constructor(
    readonly stream: OutputStream,
    public firstLine: number,
    public continues: boolean,
    public at: number,
    /** Buffer to reuse; its content is overwritten. */
    private memory: Buffer = NO_BYTES,
  ) {
    this.lastLineAtMs = at;
  }

  get size(): number {
    return this.to - this.from;
  }

  get availableBytes(): number {
    return CHUNK_BYTES - this.size;
  }

  get lastLine(): number {
    return this.firstLine + Math.max(0, this.lineCount - 1);
  }

  /** Whether the chunk can take bytes of this line: its open last line, or a new line with the next number. */
  acceptsFragment(line: number, begins: boolean): boolean {
    if (begins) return !this.openEnded && !this.continues && this.lastLine + 1 === line;
    return this.openEnded && this.lastLine === line;
  }

  appendFragment(bytes: Buffer, begins: boolean, ends: boolean, at: number): void {
    if (begins) {
      this.lineCount += 1;
      this.lastLineFrom = this.to;
      this.lastLineAtMs = at;
    }
    this.openEnded = !ends;
    this.reserveBytes(bytes.length);
    this.to += bytes.copy(this.memory, this.to);
  }

  /** Appends whole lines, which begin in this chunk. @returns number of lines */
  appendLines(bytes: Buffer, from: number, to: number, at: number): number {
    let count = 1;
    let last = from;
    for (let place = from; place < to - 1; place += 1) {
      if (bytes[place] !== LF) continue;
      count += 1;
      last = place + 1;
    }
    this.reserveBytes(to - from);
    this.lineCount += count;
    this.lastLineFrom = this.to + last - from;
    this.lastLineAtMs = at;
    this.openEnded = false;
    this.to += bytes.copy(this.memory, this.to, from, to);
    return count;
  }

  /**
   * Moves an unfinished last line to a new piece and returns that piece. Returns null if the last line is finished or
   * the only one.
   */
  splitLastLine(): OutputPiece | null {
    if (!this.openEnded || this.lastLineFrom === this.from) return null;
    const rest = new OutputPiece(this.stream, this.lastLine, false, this.lastLineAtMs);
    rest.appendFragment(this.memory.subarray(this.lastLineFrom, this.to), true, false, this.lastLineAtMs);
    this.to = this.lastLineFrom;
    this.lineCount -= 1;
    this.openEnded = false;
    return rest;
  }

  /**
   * Moves an incomplete UTF-8 character at the end to a new piece, so that each piece is valid. Returns the new piece;
   * null if the end is complete or nothing would be left.
   */
  splitCharacter(at: number): OutputPiece | null {
    const end = findCharacterEnd(this.memory.subarray(this.from, this.to));
    if (end === 0 || end === this.size) return null;
    const rest = new OutputPiece(this.stream, this.lastLine, true, at);
    rest.appendFragment(this.memory.subarray(this.from + end, this.to), false, false, at);
    this.to = this.from + end;
    return rest;
  }

  /**
   * Drops whole lines from the start until at least `bytes` bytes are dropped. Never drops the last line. @returns
   * number of dropped bytes
   */
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

  /** Buffer of a dropped piece, for reuse; null if it is too small. */
  takeChunkMemory(): Buffer | null {
    return this.memory.length === CHUNK_BYTES ? this.memory : null;
  }

  private reserveBytes(more: number): void {
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

/** Length of `bytes` without an incomplete UTF-8 character at the end; the full length if the end is not UTF-8. */
function findCharacterEnd(bytes: Buffer): number {
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
