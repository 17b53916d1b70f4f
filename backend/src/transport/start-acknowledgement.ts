/**
 * How a command is started over SSH, apart from any I/O.
 *
 * The login shell parses one constant text, whatever the command is: script, variables and secrets come on standard
 * input, so they are in no process list and on no disk. The text is a single line without `!`, backquote, backslash
 * pair or single quote inside its quotes: sh, dash, bash, zsh, busybox, fish and csh all read it as the same words.
 *
 * - `exec` keeps the process id that sshd made the leader of a session and process group, so that the id which the
 *   acknowledgement names is one that a signal to the whole group can use.
 * - The first line of input is a nonce, and the script ends with it again: a script that was cut off on the way is
 *   not run, and neither the command nor a login message can forge the acknowledgement.
 * - `cat` reads to the end, so the script runs with its standard input at end-of-file.
 * - Everything is on one line with `eval`, so line numbers in the shell's complaints are the script's own.
 */
export const BOOTSTRAP =
  'exec /bin/sh -c \'IFS= read -r _rn || exit 125; _rs=$(cat); case $_rs in *"$_rn") ;; *) exit 125;; esac; ' +
  '_rs=${_rs%"$_rn"}; printf "%s %s\\n" "$_rn" "$$" || exit 125; eval "unset _rn _rs;$_rs"\' runward';

/** What is sent on standard input. `nonce` is one word of unguessable letters; the script holds no NUL character. */
export function bootstrapInput(nonce: string, script: string): string {
  return `${nonce}\n${script}\n${nonce}`;
}

export interface Acknowledgement {
  /** Bytes that came before the acknowledgement: what login scripts of the host printed. */
  before: Buffer;
  /** Process id (and process group) of the command, once acknowledged. */
  pid?: number;
  /** Bytes after the acknowledgement: the command's own output. */
  after: Buffer;
}

const NOTHING = Buffer.alloc(0);
const NEWLINE = 0x0a;
/** No system has a longer process id. */
const LONGEST_PID = 12;

/** Finds and removes the line `<nonce> <pid>` in a byte stream that arrives in arbitrary pieces. */
export class AcknowledgementFilter {
  private readonly mark: Buffer;
  private held: Buffer = NOTHING;

  constructor(nonce: string) {
    this.mark = Buffer.from(`${nonce} `, 'latin1');
  }

  /** Takes the next piece. Must not be called again once a pid was returned. */
  push(piece: Buffer): Acknowledgement {
    const bytes = this.held.length === 0 ? piece : Buffer.concat([this.held, piece]);
    let from = 0;
    for (;;) {
      const start = bytes.indexOf(this.mark, from);
      if (start === -1) return this.hold(bytes, startOfPartialMark(bytes, this.mark));
      const digits = start + this.mark.length;
      const end = bytes.indexOf(NEWLINE, digits);
      if (end === -1 && bytes.length - digits <= LONGEST_PID) return this.hold(bytes, start);
      const number = end === -1 ? '' : bytes.toString('latin1', digits, end);
      if (/^[1-9][0-9]{0,11}$/.test(number)) {
        this.held = NOTHING;
        return { before: bytes.subarray(0, start), pid: Number(number), after: bytes.subarray(end + 1) };
      }
      from = digits; // an echo of the input, not the acknowledgement
    }
  }

  /** What is still held back when the stream ends without an acknowledgement. */
  rest(): Buffer {
    const rest = this.held;
    this.held = NOTHING;
    return rest;
  }

  private hold(bytes: Buffer, from: number): Acknowledgement {
    this.held = Buffer.from(bytes.subarray(from));
    return { before: bytes.subarray(0, from), after: NOTHING };
  }
}

/** Where the longest tail of `bytes` that could be the beginning of `mark` starts. */
function startOfPartialMark(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return bytes.length - length;
  }
  return bytes.length;
}
