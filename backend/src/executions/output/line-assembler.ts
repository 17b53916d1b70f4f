import { CHUNK_BYTES, type OutputChunk, OutputPiece, type OutputStream } from './output-piece.js';

export type { OutputChunk, OutputStream } from './output-piece.js';

/** Limits of the output to keep for one host and step, in bytes over both streams. */
export interface OutputLimits {
  readonly headBytes: number;
  /** Last bytes of the output, held in memory once the head is full and returned by `endOutput()`. */
  readonly tailBytes: number;
}

export interface StoredOutput {
  readonly lines: number;
  readonly bytes: Readonly<Record<OutputStream, number>>;
  /** Number of the unfinished line of each stream; 0 = the stream is at the beginning of a line. */
  readonly openLine: Readonly<Record<OutputStream, number>>;
}

export const NO_OUTPUT: StoredOutput = {
  lines: 0,
  bytes: { stdout: 0, stderr: 0 },
  openLine: { stdout: 0, stderr: 0 },
};

/** Age in ms at which an unfinished line is returned in part, so that prompts and progress dots become visible. */
const PART_AFTER_MS = 1000;

/**
 * Minimum average size of the pieces in the tail. Each piece costs memory besides its bytes, and a host that writes
 * single characters to both streams in turn creates pieces of one byte. Smaller pieces are dropped earlier.
 */
const MIN_BYTES_PER_PIECE = 64;
const MIN_PIECES = 64;

const LF = 0x0a;
const STREAMS: readonly OutputStream[] = ['stdout', 'stderr'];

/**
 * Turns the masked bytes of one host and step into numbered chunks for storage. Lines are numbered from 1 over both
 * streams, in the order in which they begin. If the limit cuts a line, its end in the tail is a line too. The caller
 * provides the time.
 *
 * Holds at most `tailBytes`, one chunk, and the head's bytes since the last `flushDueChunks` ({@link waitingBytes}).
 */
export class LineAssembler {
  bytes: number;
  lines: number;
  readonly given: Record<OutputStream, number>;
  /** Valid after `endOutput()`: number of bytes that were dropped, and of lines that were dropped completely. */
  droppedBytes = 0;
  droppedLines = 0;
  /** Last line with bytes in the head; null until the head is full. Dropped output comes after this line. */
  lastHeadLine: number | null = null;
  /** Bytes of the head that were not returned yet. When many wait, the caller flushes sooner. */
  waitingBytes = 0;

  private remainingHeadBytes: number;
  private head: OutputPiece[] = [];
  private openPieces: Partial<Record<OutputStream, OutputPiece>> = {};
  /** Entries before `firstTailIndex` are undefined: their pieces were dropped. */
  private tail: (OutputPiece | undefined)[] = [];
  private firstTailIndex = 0;
  private tailSize = 0;
  private spareBuffer: Buffer | undefined;
  private openLine: Record<OutputStream, number>;
  private ended = false;

  /** @param stored earlier output, which this output continues */
  constructor(
    private readonly limits: OutputLimits,
    stored: StoredOutput = NO_OUTPUT,
  ) {
    this.lines = stored.lines;
    this.bytes = stored.bytes.stdout + stored.bytes.stderr;
    this.given = { ...stored.bytes };
    this.openLine = { ...stored.openLine };
    this.remainingHeadBytes = Math.max(0, limits.headBytes - this.bytes);
  }

  /** @param atMs arrival time in ms, not before that of the previous call */
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
      this.appendFragment(stream, bytes.subarray(from, to), to === stop && lineEnd >= 0, atMs);
      from = to;
    }
  }

  /**
   * Returns the output to store now: whole lines, and the part of an unfinished line that is a second old or fills a
   * chunk.
   */
  flushDueChunks(atMs: number): OutputChunk[] {
    const ready: OutputPiece[] = [];
    const keptPieces: OutputPiece[] = [];
    for (const piece of this.head) {
      if (!piece.openEnded || this.openPieces[piece.stream] !== piece) {
        ready.push(piece);
        continue;
      }
      const open = piece.splitLastLine() ?? piece;
      if (open !== piece) ready.push(piece);
      const rest = atMs - open.at < PART_AFTER_MS ? open : open.splitCharacter(atMs);
      if (rest !== open) ready.push(open);
      if (rest) keptPieces.push(rest);
    }
    this.head = keptPieces;
    this.openPieces = Object.fromEntries(keptPieces.map((piece) => [piece.stream, piece]));
    this.waitingBytes = keptPieces.reduce((sum, piece) => sum + piece.size, 0);
    return this.toOutputChunks(ready);
  }

  /** Returns the whole head, including unfinished lines. Later output begins on new lines. */
  cutChunks(): OutputChunk[] {
    const chunks = this.toOutputChunks(this.head);
    this.head = [];
    this.openPieces = {};
    this.waitingBytes = 0;
    this.openLine = { stdout: 0, stderr: 0 };
    return chunks;
  }

  /** Returns the rest: unfinished lines and the tail. `push` must not be called afterwards. */
  endOutput(): OutputChunk[] {
    this.ended = true;
    const tail = this.tail.slice(this.firstTailIndex) as OutputPiece[];
    if (this.lastHeadLine !== null && this.droppedBytes > 0) {
      const numbers = numberTailLines(tail, this.lastHeadLine, this.lines);
      this.lines += numbers.added;
      this.droppedLines = this.lines - this.lastHeadLine - numbers.count;
    }
    const chunks = [...this.toOutputChunks(this.head), ...this.toOutputChunks(tail)];
    this.head = [];
    this.tail = [];
    this.spareBuffer = undefined;
    this.waitingBytes = 0;
    return chunks;
  }

  private toOutputChunks(pieces: OutputPiece[]): OutputChunk[] {
    for (const piece of pieces) this.given[piece.stream] += piece.size;
    return toChunks(pieces);
  }

  /**
   * Takes as many whole lines at once as fit into the newest piece. Fast path: a flood of output has a million lines a
   * second.
   * @returns number of bytes taken; 0 = the next line has to be taken alone
   */
  private takeLines(stream: OutputStream, bytes: Buffer, from: number, at: number): number {
    const inHead = this.lastHeadLine === null;
    const piece = this.getNewestPiece(stream);
    if (this.openLine[stream] !== 0 || !piece?.acceptsFragment(this.lines + 1, true)) return 0;
    const limit = Math.min(piece.availableBytes, inHead ? this.remainingHeadBytes : piece.availableBytes);
    const count = limit === 0 ? 0 : bytes.lastIndexOf(LF, from + limit - 1) + 1 - from;
    if (count <= 0) return 0;
    this.lines += piece.appendLines(bytes, from, from + count, at);
    if (inHead) {
      this.remainingHeadBytes -= count;
      this.waitingBytes += count;
    } else {
      this.tailSize += count;
      this.dropOldestPiece();
    }
    return count;
  }

  private appendFragment(stream: OutputStream, fragment: Buffer, ends: boolean, at: number): void {
    const toHead = Math.min(fragment.length, this.remainingHeadBytes);
    this.remainingHeadBytes -= toHead;
    this.waitingBytes += toHead;
    if (toHead > 0) this.placeFragment(stream, fragment.subarray(0, toHead), ends && toHead === fragment.length, at);
    if (toHead === fragment.length) return;
    if (this.lastHeadLine === null) {
      this.lastHeadLine = this.lines;
      this.openPieces = {};
    }
    this.tailSize += fragment.length - toHead;
    this.placeFragment(stream, fragment.subarray(toHead), ends, at);
    this.dropOldestPiece();
  }

  private placeFragment(stream: OutputStream, fragment: Buffer, ends: boolean, at: number): void {
    let begins = this.openLine[stream] === 0;
    if (begins) {
      this.lines += 1;
      this.openLine[stream] = this.lines;
    }
    const line = this.openLine[stream];
    let piece = this.findOrAddPiece(stream, line, begins, fragment.length, at);
    let rest = fragment;
    while (rest.length > piece.availableBytes) {
      const freeBytes = piece.availableBytes;
      piece.appendFragment(rest.subarray(0, freeBytes), begins, false, at);
      begins = false;
      rest = rest.subarray(freeBytes);
      piece = this.addPiece(piece.splitCharacter(at) ?? new OutputPiece(stream, line, true, at));
    }
    piece.appendFragment(rest, begins, ends, at);
    if (ends) this.openLine[stream] = 0;
  }

  private findOrAddPiece(stream: OutputStream, line: number, begins: boolean, length: number, at: number): OutputPiece {
    const last = this.getNewestPiece(stream);
    if (last?.acceptsFragment(line, begins)) {
      if (length <= last.availableBytes) return last;
      // Does not split a line that fits into a chunk, but moves it to the next chunk.
      if (!begins) {
        const open = last.splitLastLine();
        return open ? this.addPiece(open) : last;
      }
    }
    return this.addPiece(new OutputPiece(stream, line, !begins, at, this.takeSpareBuffer()));
  }

  /**
   * Piece of a stream that can grow. In the tail only the newest piece can, so that the oldest piece holds the oldest
   * bytes.
   */
  private getNewestPiece(stream: OutputStream): OutputPiece | undefined {
    if (this.lastHeadLine === null) return this.openPieces[stream];
    const last = this.tail[this.tail.length - 1];
    return last?.stream === stream ? last : undefined;
  }

  private takeSpareBuffer(): Buffer | undefined {
    const { spareBuffer } = this;
    this.spareBuffer = undefined;
    return spareBuffer;
  }

  private addPiece(piece: OutputPiece): OutputPiece {
    if (this.lastHeadLine === null) {
      this.head.push(piece);
      this.openPieces[piece.stream] = piece;
    } else this.tail.push(piece);
    return piece;
  }

  private dropOldestPiece(): void {
    const mostPieces = MIN_PIECES + Math.floor(this.limits.tailBytes / MIN_BYTES_PER_PIECE);
    while (this.tailSize > this.limits.tailBytes || this.tail.length - this.firstTailIndex > mostPieces) {
      const piece = this.tail[this.firstTailIndex] as OutputPiece;
      const excessBytes = this.tailSize - this.limits.tailBytes;
      let dropped = piece.size;
      if (excessBytes > 0 && excessBytes < dropped && piece.lineCount > 1) dropped = piece.dropLines(excessBytes);
      else if (this.tail.length - this.firstTailIndex === 1 && excessBytes < dropped) {
        piece.dropBytes(excessBytes);
        dropped = excessBytes;
      } else {
        this.spareBuffer = piece.takeChunkMemory() ?? this.spareBuffer;
        this.tail[this.firstTailIndex] = undefined;
        this.firstTailIndex += 1;
      }
      this.tailSize -= dropped;
      this.droppedBytes += dropped;
    }
    // Removes the empty front only when it is half of the array, because each removal copies the rest.
    if (this.firstTailIndex > 0 && this.firstTailIndex * 2 >= this.tail.length) {
      this.tail = this.tail.slice(this.firstTailIndex);
      this.firstTailIndex = 0;
    }
  }
}

/** Sorts by line number. The sort is stable, so the parts of one line stay in order. */
function toChunks(pieces: OutputPiece[]): OutputChunk[] {
  return pieces.sort((a, b) => a.firstLine - b.firstLine).map((piece) => piece.toChunk());
}

/**
 * Makes each end of a line whose earlier part was dropped a line, before the lines that begin in the tail. The numbers
 * of the tail become consecutive, up to the last line.
 * @param lines number of lines before
 * @returns `count`: number of lines in the tail; `added`: number of its lines whose beginning is a line of the head
 */
function numberTailLines(tail: OutputPiece[], lastHeadLine: number, lines: number): { count: number; added: number } {
  const ends = STREAMS.flatMap((stream) => {
    const first = tail.find((piece) => piece.stream === stream);
    return first?.continues ? [first] : [];
  });
  const added = ends.filter(({ firstLine }) => firstLine <= lastHeadLine).length;
  const firstWhole = tail.find(({ continues }) => !continues)?.firstLine ?? lines + 1;
  const cut = new Map(ends.map((piece, index) => [piece.firstLine, firstWhole + added - ends.length + index]));
  for (const piece of tail) piece.firstLine = cut.get(piece.firstLine) ?? piece.firstLine + added;
  for (const piece of ends) piece.lineCount = 1;
  return { count: tail.reduce((sum, { lineCount }) => sum + lineCount, 0), added };
}
