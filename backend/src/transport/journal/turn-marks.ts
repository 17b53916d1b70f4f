import type { OutputStream } from '../remote-command.js';

const EMPTY_BUFFER = Buffer.alloc(0);

/** Finds and removes the first occurrence of a mark in a byte stream that is split anywhere. */
export class MarkFilter {
  private readonly mark: Buffer;
  private heldBytes: Buffer = EMPTY_BUFFER;

  /** @param found true: expect no mark, all bytes come after it */
  constructor(
    mark: string,
    public found = false,
  ) {
    this.mark = Buffer.from(mark, 'latin1');
  }

  /** @returns bytes before and after the mark */
  push(piece: Buffer): { before: Buffer; after: Buffer } {
    if (this.found) return { before: EMPTY_BUFFER, after: piece };
    const bytes = this.heldBytes.length === 0 ? piece : Buffer.concat([this.heldBytes, piece]);
    const start = bytes.indexOf(this.mark);
    this.found = start !== -1;
    const end = this.found ? start : findPartialMark(bytes, this.mark);
    this.heldBytes = this.found ? EMPTY_BUFFER : Buffer.from(bytes.subarray(end));
    return {
      before: bytes.subarray(0, end),
      after: this.found ? bytes.subarray(start + this.mark.length) : EMPTY_BUFFER,
    };
  }

  rest(): Buffer {
    const rest = this.heldBytes;
    this.heldBytes = EMPTY_BUFFER;
    return rest;
  }
}

/** Start of the longest suffix of `bytes` that is a prefix of `mark`. */
export function findPartialMark(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return bytes.length - length;
  }
  return bytes.length;
}

/**
 * First character of each mark. With marks, a kept shell reports the end of a command; other shells report it by
 * closing the channel. A mark is a line with an unguessable nonce. Texts do not use its first character, so normal
 * output is not held back. The exit status may arrive before the rest of the output, but a stream ends with its own
 * mark.
 */
const MARK_START_BYTE = 0x1e;
const STREAM_WORDS: Record<OutputStream, string> = { stdout: 'out', stderr: 'err' };
const MAX_MARK_LENGTH = ' end 255 123456789012\n'.length;

/** Shell text that reports the exit status. @param nonce shell text for it, as for `status` */
export const toEndMarkScript = (nonce: string, status: string): string =>
  `printf "\\036%s end %s %s\\n" ${nonce} ${status} $$;`;

/** Shell text that marks the end of a stream's output; run with its output to that stream. */
export const toStreamMarkScript = (nonce: string, stream: OutputStream): string =>
  `printf "\\036%s ${STREAM_WORDS[stream]}\\n" ${nonce}`;

/** `shellId`: process ID of the reporting shell. */
export type ShellTurnMark = { exitCode: number; shellId: number } | { over: OutputStream };

/** Finds and removes the marks of one command in a byte stream that is split anywhere. */
export class TurnMarkFilter {
  private readonly mark: Buffer;
  private heldBytes: Buffer | null = null;

  constructor(nonce: string) {
    this.mark = Buffer.concat([Buffer.from([MARK_START_BYTE]), Buffer.from(nonce, 'latin1')]);
  }

  /** @returns the output without the marks, and the marks in order */
  push(piece: Buffer): { output: Buffer; marks: ShellTurnMark[] } {
    let bytes = this.heldBytes ? Buffer.concat([this.heldBytes, piece]) : piece;
    this.heldBytes = null;
    const marks: ShellTurnMark[] = [];
    for (let at = bytes.indexOf(MARK_START_BYTE); at !== -1; at = bytes.indexOf(MARK_START_BYTE, at)) {
      const words = at + this.mark.length;
      const known = Math.min(words, bytes.length);
      if (!bytes.subarray(at, known).equals(this.mark.subarray(0, known - at))) {
        at += 1;
        continue;
      }
      const end = bytes.indexOf('\n', words);
      if (end === -1 && bytes.length < words + MAX_MARK_LENGTH) {
        this.heldBytes = Buffer.from(bytes.subarray(at));
        return { output: bytes.subarray(0, at), marks };
      }
      const mark = end === -1 ? undefined : parseTurnMark(bytes.toString('latin1', words, end));
      if (mark) {
        marks.push(mark);
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(end + 1)]);
      } else at += 1;
    }
    return { output: bytes, marks };
  }

  rest(): Buffer {
    const rest = this.heldBytes ?? Buffer.alloc(0);
    this.heldBytes = null;
    return rest;
  }
}

function parseTurnMark(words: string): ShellTurnMark | undefined {
  if (words === ` ${STREAM_WORDS.stdout}`) return { over: 'stdout' };
  if (words === ` ${STREAM_WORDS.stderr}`) return { over: 'stderr' };
  const [, status, shellId] = /^ end ([0-9]{1,3}) ([1-9][0-9]{0,11})$/.exec(words) ?? [];
  return status === undefined ? undefined : { exitCode: Number(status), shellId: Number(shellId) };
}
