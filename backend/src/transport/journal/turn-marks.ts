import type { OutputStream } from '../remote-command.js';

/**
 * How a shell that stays on a host tells the end of a command, which the end of its channel tells otherwise. A mark is a
 * line with an unguessable nonce that begins with a character which texts have no use for, so that output is not held
 * back because it might become one. The exit status may come in the middle of output that is still on its way; no output
 * of a stream comes after that stream's own mark.
 */
const BEGIN = 0x1e;
const WORDS: Record<OutputStream, string> = { stdout: 'out', stderr: 'err' };
/** Of what follows the nonce. */
const LONGEST = ' end 255 123456789012\n'.length;

/** Shell text that tells the exit status. @param nonce shell text for it, as `status` */
export const endMark = (nonce: string, status: string): string =>
  `printf "\\036%s end %s %s\\n" ${nonce} ${status} $$;`;

/** Shell text that tells that all output of a stream has come. To be written to that stream. */
export const streamMark = (nonce: string, stream: OutputStream): string =>
  `printf "\\036%s ${WORDS[stream]}\\n" ${nonce}`;

/** `shellId`: process id of the shell that tells it. */
export type TurnMark = { exitCode: number; shellId: number } | { over: OutputStream };

/** Finds and removes the marks of one command in a byte stream of arbitrary pieces. */
export class TurnMarkFilter {
  private readonly mark: Buffer;
  private held: Buffer | null = null;

  constructor(nonce: string) {
    this.mark = Buffer.concat([Buffer.from([BEGIN]), Buffer.from(nonce, 'latin1')]);
  }

  /** @returns the output without the marks, and these in their order */
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
      if (end === -1 && bytes.length < words + LONGEST) {
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

  /** What is still held back when the stream ends. */
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
