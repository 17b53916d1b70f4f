import { CHUNK_BYTES, type OutputChunk, OutputPiece, type OutputStream } from './output-piece.js';

export type { OutputChunk, OutputStream } from './output-piece.js';

/** Limits of the output that is kept for one host and step, in bytes over both streams. */
export interface OutputLimits {
  readonly headBytes: number;
  /** Last bytes, held in memory once the head is full and returned at the end. */
  readonly tailBytes: number;
}

/** Output of the same host and step that an earlier worker stored. */
export interface StoredOutput {
  readonly lines: number;
  readonly bytes: Readonly<Record<OutputStream, number>>;
  /** Number of the unfinished line of each stream, 0 at the beginning of a line. */
  readonly openLine: Readonly<Record<OutputStream, number>>;
}

export const NO_OUTPUT: StoredOutput = {
  lines: 0,
  bytes: { stdout: 0, stderr: 0 },
  openLine: { stdout: 0, stderr: 0 },
};

/** Time after which an unfinished line is returned in part, in ms: prompts and rows of dots become visible. */
const PART_AFTER_MS = 1000;

/**
 * Each piece of the tail costs memory besides its bytes. A host that writes single characters to both streams in turn
 * creates pieces of one byte. If pieces have fewer bytes than this on average, fewer of them are kept.
 */
const MIN_BYTES_PER_PIECE = 64;
const MIN_PIECES = 64;

const LF = 0x0a;

/**
 * Turns the masked bytes of one host and step into numbered chunks for storage. Lines are numbered from 1 over both
 * streams, in the order in which they begin. The caller provides the time.
 *
 * It holds at most `tailBytes`, one chunk, and the bytes of the head since the last `flush` ({@link waitingBytes}).
 */
export class LineAssembler {
  bytes: number;
  lines: number;
  readonly given: Record<OutputStream, number>;
  /** Valid after `end()`: bytes that were never returned, and lines without a returned byte. */
  droppedBytes = 0;
  droppedLines = 0;
  /** Last line with bytes in the head, once the head is full; dropped output comes after it. */
  lastHeadLine: number | null = null;
  /** Bytes of the head that were not returned yet: a reason to flush sooner. */
  waitingBytes = 0;

  private headLeft: number;
  private head: OutputPiece[] = [];
  /** Piece of each stream in the head that can still grow. */
  private growing: Partial<Record<OutputStream, OutputPiece>> = {};
  /** Entries before `tailFrom` are empty: their pieces were dropped. */
  private tail: (OutputPiece | undefined)[] = [];
  private tailFrom = 0;
  private tailSize = 0;
  /** Memory of a dropped piece of the tail, for reuse. */
  private spare: Buffer | undefined;
  /** Number of the unfinished line of each stream, 0 at the beginning of a line. */
  private openLine: Record<OutputStream, number>;
  private ended = false;

  /** @param stored earlier output that this output continues */
  constructor(
    private readonly limits: OutputLimits,
    stored: StoredOutput = NO_OUTPUT,
  ) {
    this.lines = stored.lines;
    this.bytes = stored.bytes.stdout + stored.bytes.stderr;
    this.given = { ...stored.bytes };
    this.openLine = { ...stored.openLine };
    this.headLeft = Math.max(0, limits.headBytes - this.bytes);
  }

  /** @param atMs arrival time in ms, never before that of the previous call */
  push(stream: OutputStream, bytes: Buffer, atMs: number): void {
    if (this.ended) throw new Error('Output came after its end.');
    this.bytes += bytes.length;
    let lineEnd: number | undefined;
    for (let from = 0; from < bytes.length; ) {
      const whole = this.takeLines(stream, bytes, from, atMs);
      from += whole;
      if (whole > 0) continue;
      if (lineEnd === undefined || (lineEnd >= 0 && lineEnd < from)) lineEnd = bytes.indexOf(LF, from);
      const stop = lineEnd < 0 ? bytes.length : lineEnd + 1;
      const to = Math.min(stop, from + CHUNK_BYTES);
      this.take(stream, bytes.subarray(from, to), to === stop && lineEnd >= 0, atMs);
      from = to;
    }
  }

  /**
   * Returns the output to store now: whole lines, and of an unfinished line the part that has waited for a second or
   * fills a chunk.
   */
  flush(atMs: number): OutputChunk[] {
    const ready: OutputPiece[] = [];
    const kept: OutputPiece[] = [];
    for (const piece of this.head) {
      if (!piece.openEnded || this.growing[piece.stream] !== piece) {
        ready.push(piece);
        continue;
      }
      const open = piece.splitLastLine() ?? piece;
      if (open !== piece) ready.push(piece);
      const rest = atMs - open.at < PART_AFTER_MS ? open : open.splitCharacter(atMs);
      if (rest !== open) ready.push(open);
      if (rest) kept.push(rest);
    }
    this.head = kept;
    this.growing = Object.fromEntries(kept.map((piece) => [piece.stream, piece]));
    this.waitingBytes = kept.reduce((sum, piece) => sum + piece.size, 0);
    return this.give(ready);
  }

  /** Returns the whole head, including unfinished lines. Later output begins new lines. */
  cut(): OutputChunk[] {
    const chunks = this.give(this.head);
    this.head = [];
    this.growing = {};
    this.waitingBytes = 0;
    this.openLine = { stdout: 0, stderr: 0 };
    return chunks;
  }

  /** Returns the rest: the last unfinished lines, and the tail. Nothing may be pushed afterwards. */
  end(): OutputChunk[] {
    this.ended = true;
    const tail = this.tail.slice(this.tailFrom) as OutputPiece[];
    if (this.lastHeadLine !== null)
      this.droppedLines = this.lines - this.lastHeadLine - linesIn(tail, this.lastHeadLine);
    const chunks = [...this.give(this.head), ...this.give(tail)];
    this.head = [];
    this.tail = [];
    this.spare = undefined;
    this.waitingBytes = 0;
    return chunks;
  }

  private give(pieces: OutputPiece[]): OutputChunk[] {
    for (const piece of pieces) this.given[piece.stream] += piece.size;
    return toChunks(pieces);
  }

  /**
   * Takes as many whole lines at once as fit into the newest piece: a flood has a million lines a second.
   * @returns their number of bytes; 0 when the next line has to be taken alone
   */
  private takeLines(stream: OutputStream, bytes: Buffer, from: number, at: number): number {
    const inHead = this.lastHeadLine === null;
    const piece = this.newest(stream);
    if (this.openLine[stream] !== 0 || !piece?.accepts(this.lines + 1, true)) return 0;
    const most = Math.min(piece.room, inHead ? this.headLeft : piece.room);
    const count = most === 0 ? 0 : bytes.lastIndexOf(LF, from + most - 1) + 1 - from;
    if (count <= 0) return 0;
    this.lines += piece.appendLines(bytes, from, from + count, at);
    if (inHead) {
      this.headLeft -= count;
      this.waitingBytes += count;
    } else {
      this.tailSize += count;
      this.dropOldest();
    }
    return count;
  }

  private take(stream: OutputStream, fragment: Buffer, ends: boolean, at: number): void {
    const toHead = Math.min(fragment.length, this.headLeft);
    this.headLeft -= toHead;
    this.waitingBytes += toHead;
    if (toHead > 0) this.place(stream, fragment.subarray(0, toHead), ends && toHead === fragment.length, at);
    if (toHead === fragment.length) return;
    if (this.lastHeadLine === null) {
      this.lastHeadLine = this.lines;
      this.growing = {};
    }
    this.tailSize += fragment.length - toHead;
    this.place(stream, fragment.subarray(toHead), ends, at);
    this.dropOldest();
  }

  private place(stream: OutputStream, fragment: Buffer, ends: boolean, at: number): void {
    let begins = this.openLine[stream] === 0;
    if (begins) {
      this.lines += 1;
      this.openLine[stream] = this.lines;
    }
    const line = this.openLine[stream];
    let piece = this.pieceFor(stream, line, begins, fragment.length, at);
    let rest = fragment;
    while (rest.length > piece.room) {
      const freeBytes = piece.room;
      piece.append(rest.subarray(0, freeBytes), begins, false, at);
      begins = false;
      rest = rest.subarray(freeBytes);
      piece = this.add(piece.splitCharacter(at) ?? new OutputPiece(stream, line, true, at));
    }
    piece.append(rest, begins, ends, at);
    if (ends) this.openLine[stream] = 0;
  }

  private pieceFor(stream: OutputStream, line: number, begins: boolean, length: number, at: number): OutputPiece {
    const last = this.newest(stream);
    if (last?.accepts(line, begins)) {
      if (length <= last.room) return last;
      // A line that fits into a chunk is not split: it starts the next one.
      if (!begins) {
        const open = last.splitLastLine();
        return open ? this.add(open) : last;
      }
    }
    return this.add(new OutputPiece(stream, line, !begins, at, this.takeSpare()));
  }

  /**
   * Piece of a stream that can grow. In the tail only the newest one, so that the oldest one holds the oldest bytes.
   */
  private newest(stream: OutputStream): OutputPiece | undefined {
    if (this.lastHeadLine === null) return this.growing[stream];
    const last = this.tail[this.tail.length - 1];
    return last?.stream === stream ? last : undefined;
  }

  private takeSpare(): Buffer | undefined {
    const { spare } = this;
    this.spare = undefined;
    return spare;
  }

  private add(piece: OutputPiece): OutputPiece {
    if (this.lastHeadLine === null) {
      this.head.push(piece);
      this.growing[piece.stream] = piece;
    } else this.tail.push(piece);
    return piece;
  }

  private dropOldest(): void {
    const mostPieces = MIN_PIECES + Math.floor(this.limits.tailBytes / MIN_BYTES_PER_PIECE);
    while (this.tailSize > this.limits.tailBytes || this.tail.length - this.tailFrom > mostPieces) {
      const piece = this.tail[this.tailFrom] as OutputPiece;
      const excess = this.tailSize - this.limits.tailBytes;
      let dropped = piece.size;
      if (excess > 0 && excess < dropped && piece.lineCount > 1) dropped = piece.dropLines(excess);
      else if (this.tail.length - this.tailFrom === 1 && excess < dropped) {
        piece.dropBytes(excess);
        dropped = excess;
      } else {
        this.spare = piece.memoryOfChunk() ?? this.spare;
        this.tail[this.tailFrom] = undefined;
        this.tailFrom += 1;
      }
      this.tailSize -= dropped;
      this.droppedBytes += dropped;
    }
    // Removing the front of an array costs its length, so it waits until half of it is empty.
    if (this.tailFrom > 0 && this.tailFrom * 2 >= this.tail.length) {
      this.tail = this.tail.slice(this.tailFrom);
      this.tailFrom = 0;
    }
  }
}

/** By line number; the sort is stable, so the parts of one line stay in order. */
function toChunks(pieces: OutputPiece[]): OutputChunk[] {
  return pieces.sort((a, b) => a.firstLine - b.firstLine).map((piece) => piece.toChunk());
}

function linesIn(tail: OutputPiece[], lastHeadLine: number): number {
  let count = 0;
  const before: Record<OutputStream, number> = { stdout: 0, stderr: 0 };
  for (const piece of tail) {
    count += piece.lineCount;
    const isNew = piece.firstLine > lastHeadLine && before[piece.stream] !== piece.firstLine;
    if (piece.continues && isNew) count += 1;
    before[piece.stream] = piece.lastLine;
  }
  return count;
}
