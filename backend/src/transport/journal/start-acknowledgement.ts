import { HANDSHAKE } from './handshake.js';
import { joined } from './journal-shell.js';
import { startOfPartialMark } from './mark-filter.js';

/**
 * How a command is started over SSH, apart from any I/O.
 *
 * The login shell parses one constant text, whatever the command is: script, variables and secrets come on standard
 * input, so they are in no process list and on no disk. The text is a single line without `!`, backquote, backslash
 * pair or single quote inside its quotes: sh, dash, bash, zsh, busybox, fish and csh all read it as the same words.
 *
 * - `exec` keeps the process id that sshd made the leader of a session and process group, so that the id which the
 *   acknowledgement names is one that a signal to the whole group can use.
 * - Nothing of the command is sent before this text has answered on the channel (`handshake.ts`).
 * - The first line of input says how to start the rest, and the rest ends with a nonce: a script that was cut off on
 *   the way is not run, and neither the command nor a login message can forge the acknowledgement. Lengths show whether
 *   another process took a part of the input.
 * - `cat` reads to the end, so the script runs with its standard input at end-of-file.
 * - A mark goes to standard error before the acknowledgement goes to standard output: the two come on streams of their
 *   own, and what login scripts write to either must not be taken for the command's.
 * - Everything is on one line with `eval`, so line numbers in the shell's complaints are the script's own.
 *
 * A command with a journal has a text of its own (`JOURNAL_START`), to which the same applies.
 */

/** Shell text that tells where on standard error the command's own output begins. Nothing hangs on whether it can. */
export const markStderr = (nonce: string, descriptor: number): string =>
  `printf "%s ${STDERR_WORD}\\n" ${nonce} >&${descriptor};`;

/**
 * Acknowledges the start of the command in `_rs` and becomes it. One line.
 * @param nonce itself, or shell text for it
 * @param unset further variables that the command must not see, each after a space
 */
export const beginPlainly = (nonce: string, state = '', unset = ''): string =>
  `printf "%s %s${state}\\n" ${nonce} "$$" || exit 125; eval "unset _rs${unset};$_rs"`;

const STDERR_WORD = 'stderr';

export const BOOTSTRAP = `exec /bin/sh -c '${joined(`
  ${HANDSHAKE}
  read -r _rx || exit 125; IFS= read -r _rs || exit 125; [ \${#_rs} = "$_rx" ] || exit 125;
  eval "$_rs"`)}' runward`;

/** Input for {@link BOOTSTRAP}: a line of ASCII shell text for the launcher, which may read more. */
export const launcherLine = (line: string): string => `${line.length}\n${line}\n`;

/** A shell may take other bytes for parts of characters, in the language of the host, and count these. */
const ASCII = /^\p{ASCII}*$/u;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** What is sent on standard input. `nonce` is one word of unguessable letters; the script holds no NUL character. */
export function bootstrapInput(nonce: string, script: string): string {
  const command = `${script}\n`;
  const whole = isAscii(command) ? `[ \${#_rs} = ${command.length} ] || exit 125;` : '';
  const read = `_rs=$(cat); case $_rs in *"${nonce}") ;; *) exit 125;; esac; _rs=\${_rs%"${nonce}"}; ${whole}`;
  const line = `${read} ${markStderr(nonce, 2)} ${beginPlainly(nonce, '', ' _rw _rp _rx')}`;
  return `${launcherLine(line)}${command}${nonce}`;
}

export interface Acknowledgement {
  /** Bytes that came before the acknowledgement: what login scripts of the host printed. */
  before: Buffer;
  /** Process id (and process group) of the command, once acknowledged; 0 if `state` is all the host has to say. */
  pid?: number;
  /** How it was started, or why it was not; none for a host that was asked for nothing but the start. */
  state?: string;
  /** When the process started, as its host counts it; `-` if the host can't tell. */
  startTime?: string;
  /** Bytes after the acknowledgement: the command's own output. */
  after: Buffer;
}

const NOTHING = Buffer.alloc(0);
const NEWLINE = 0x0a;
const ANSWER = /^(0(?= )|[1-9][0-9]{0,11})(?: ([a-z_]{1,20})(?: ([0-9]{1,20}|-))?)?$/;
const LONGEST_ANSWER = 54;

/** Finds and removes the line `<nonce> <pid>[ <state>[ <start time>]]` in a byte stream of arbitrary pieces. */
export class AcknowledgementFilter {
  private readonly mark: Buffer;
  private held: Buffer = NOTHING;
  /** The mark for standard error came here: the host sends both as one stream. */
  merged = false;

  constructor(nonce: string) {
    this.mark = Buffer.from(`${nonce} `, 'latin1');
  }

  /** Takes the next piece. Must not be called again once a pid was returned. */
  push(piece: Buffer): Acknowledgement {
    let bytes = this.held.length === 0 ? piece : Buffer.concat([this.held, piece]);
    let from = 0;
    for (;;) {
      const start = bytes.indexOf(this.mark, from);
      if (start === -1) return this.hold(bytes, startOfPartialMark(bytes, this.mark));
      const words = start + this.mark.length;
      const end = bytes.indexOf(NEWLINE, words);
      if (end === -1 && bytes.length - words <= LONGEST_ANSWER) return this.hold(bytes, start);
      const answer = end === -1 ? '' : bytes.toString('latin1', words, end);
      if (answer === STDERR_WORD) {
        this.merged = true;
        bytes = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end + 1)]);
        from = start;
        continue;
      }
      const [, pid, state, startTime] = ANSWER.exec(answer) ?? [];
      if (pid !== undefined) {
        this.held = NOTHING;
        const before = bytes.subarray(0, start);
        return { before, pid: Number(pid), state, startTime, after: bytes.subarray(end + 1) };
      }
      from = words; // an echo of the input, not the acknowledgement
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

/** The mark that comes before the command's own output on standard error. */
export const stderrMarkOf = (nonce: string): string => `${nonce} ${STDERR_WORD}\n`;
