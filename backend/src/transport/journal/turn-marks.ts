import type { OutputStream } from '../remote-command.js';

/**
 * Marks with which a kept shell reports the end of a command; otherwise the end of the channel reports it. A mark is a
 * line with an unguessable nonce. It starts with a character that texts do not use, so that normal output is not held
 * back. The exit status may arrive before the rest of the output; nothing of a stream comes after that stream's own
 * mark.
 */
const BEGIN = 0x1e;
const WORDS: Record<OutputStream, string> = { stdout: 'out', stderr: 'err' };
const MAX_MARK_LENGTH = ' end 255 123456789012\n'.length;

/** Shell text that reports the exit status. @param nonce shell text for it, like `status` */
export const endMark = (nonce: string, status: string): string =>
  `printf "\\036%s end %s %s\\n" ${nonce} ${status} $$;`;

/** Shell text that marks the end of a stream's output; written to that stream. */
export const streamMark = (nonce: string, stream: OutputStream): string =>
  `printf "\\036%s ${WORDS[stream]}\\n" ${nonce}`;

/** `shellId`: process ID of the reporting shell. */
export type TurnMark = { exitCode: number; shellId: number } | { over: OutputStream };

/** Finds and removes the marks of one command in a byte stream with arbitrary cuts. */
export class TurnMarkFilter {
  private readonly mark: Buffer;
  private held: Buffer | null = null;

  constructor(nonce: string) {
    this.mark = Buffer.concat([Buffer.from([BEGIN]), Buffer.from(nonce, 'latin1')]);
  }

  /** @returns the output without the marks, and the marks in order */
  push(piece: Buffer): { output: Buffer; marks: TurnMark[] } {
    let bytes = this.held ? Buffer.concat([this.held, piece]) : piece;
    this.held = null;
    const marks: TurnMark[] = [];
    for (let at = bytes.indexOf(BEGIN); at !== -1; at = bytes.indexOf(BEGIN, at)) {
      const words = at + this.mark.length;
      const known = Math.min(words, bytes.length);
      if (!bytes.subarray(at, known).equals(this.mark.subarray(0, known - at))) {
        at += 1;
        continue;
      }
      const end = bytes.indexOf('\n', words);
      if (end === -1 && bytes.length < words + MAX_MARK_LENGTH) {
        this.held = Buffer.from(bytes.subarray(at));
        return { output: bytes.subarray(0, at), marks };
      }
      const mark = end === -1 ? undefined : markOf(bytes.toString('latin1', words, end));
      if (mark) {
        marks.push(mark);
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(end + 1)]);
      } else at += 1;
    }
    return { output: bytes, marks };
  }

  rest(): Buffer {
    const rest = this.held ?? Buffer.alloc(0);
    this.held = null;
    return rest;
  }
}

function markOf(words: string): TurnMark | undefined {
  if (words === ` ${WORDS.stdout}`) return { over: 'stdout' };
  if (words === ` ${WORDS.stderr}`) return { over: 'stderr' };
  const [, status, shellId] = /^ end ([0-9]{1,3}) ([1-9][0-9]{0,11})$/.exec(words) ?? [];
  return status === undefined ? undefined : { exitCode: Number(status), shellId: Number(shellId) };
}
