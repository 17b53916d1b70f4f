import { HANDSHAKE_SCRIPT } from './handshake.js';
import { joinScriptLines } from './journal-shell.js';
import { findPartialMark } from './turn-marks.js';

/**
 * Starts a command over SSH. No I/O here.
 *
 * The login shell parses one constant text for all commands. Script, variables and secrets come on standard input, so
 * they are in no process list and on no disk. The text is one line without `!`, backquote, double backslash or single
 * quote inside its quotes: sh, dash, bash, zsh, busybox, fish and csh all split it into the same words.
 *
 * - `exec` keeps the process ID that sshd made the leader of a session and process group. So a signal to the
 *   acknowledged ID can reach the whole group.
 * - Nothing of the command is sent before this text has answered on the channel (`handshake.ts`).
 * - The first line of input contains the launching code; the rest ends with a nonce. So a truncated script is not run,
 *   and neither the command nor a login message can forge the acknowledgement. Lengths reveal whether another process
 *   has read part of the input.
 * - `cat` reads to the end, so the script starts with its standard input at end-of-file.
 * - A mark goes to standard error before the acknowledgement goes to standard output. It separates the output of login
 *   scripts from that of the command.
 * - Everything is on one line with `eval`, so line numbers in the shell's messages are those of the script.
 *
 * A command with a journal uses a separate text (`JOURNAL_START_COMMAND`) with the same properties.
 */

/**
 * Shell text that marks where the command's own output begins on standard error. The start continues even if this
 * fails.
 */
export const toStderrMarkScript = (nonce: string, descriptor: number): string =>
  `printf "%s ${STDERR_WORD}\\n" ${nonce} >&${descriptor};`;

/**
 * Shell text that acknowledges the start of the command in `_rs` and then evaluates it. One line.
 * @param nonce the nonce, or shell text for it
 * @param unsetVariables further variables that the command must not see, each after a space
 */
export const toBeginScript = (nonce: string, state = '', unsetVariables = ''): string =>
  `printf "%s %s${state}\\n" ${nonce} "$$" || exit 125; eval "unset _rs${unsetVariables};$_rs"`;

const STDERR_WORD = 'stderr';

export const BOOTSTRAP_COMMAND = `exec /bin/sh -c '${joinScriptLines(`
  ${HANDSHAKE_SCRIPT}
  read -r _rx || exit 125; IFS= read -r _rs || exit 125; [ \${#_rs} = "$_rx" ] || exit 125;
  eval "$_rs"`)}' runward`;

/** First input for {@link BOOTSTRAP_COMMAND}: a line of ASCII shell text, which may read further input. */
export const toLauncherLine = (line: string): string => `${line.length}\n${line}\n`;

/** Only ASCII is counted alike everywhere: in some locales a shell counts characters instead of bytes. */
const ASCII_PATTERN = /^\p{ASCII}*$/u;

export const isAscii = (text: string): boolean => ASCII_PATTERN.test(text);

/**
 * Standard input that starts `script` with {@link BOOTSTRAP_COMMAND}. `nonce` is one word of unguessable letters; `script` must
 * not contain NUL.
 */
export function buildBootstrapInput(nonce: string, script: string): string {
  const command = `${script}\n`;
  const whole = isAscii(command) ? `[ \${#_rs} = ${command.length} ] || exit 125;` : '';
  const read = `_rs=$(cat); case $_rs in *"${nonce}") ;; *) exit 125;; esac; _rs=\${_rs%"${nonce}"}; ${whole}`;
  const line = `${read} ${toStderrMarkScript(nonce, 2)} ${toBeginScript(nonce, '', ' _rw _rp _rx')}`;
  return `${toLauncherLine(line)}${command}${nonce}`;
}

export interface Acknowledgement {
  /** Bytes before the acknowledgement: output of login scripts. */
  before: Buffer;
  /** Process ID (and process group) of the acknowledged command; 0 if the host sent only `state`. */
  pid?: number;
  /** How the command was started, or why it was not; undefined for a start without journal. */
  state?: string;
  /** Start time of the process in the host's units; `-` = unknown. */
  startTime?: string;
  /** Bytes after the acknowledgement: output of the command. */
  after: Buffer;
}

const EMPTY_BUFFER = Buffer.alloc(0);
const NEWLINE = 0x0a;
const ANSWER_PATTERN = /^(0(?= )|[1-9][0-9]{0,11})(?: ([a-z_]{1,20})(?: ([0-9]{1,20}|-))?)?$/;
const MAX_ANSWER_LENGTH = 54;

/** Finds and removes the line `<nonce> <pid>[ <state>[ <start time>]]` in a byte stream that is split anywhere. */
export class AcknowledgementFilter {
  private readonly mark: Buffer;
  private heldBytes: Buffer = EMPTY_BUFFER;
  /** The standard-error mark arrived on standard output: the host merges both streams. */
  merged = false;

  constructor(nonce: string) {
    this.mark = Buffer.from(`${nonce} `, 'latin1');
  }

  /** Takes the next piece. Must not be called again after it returned a pid. */
  push(piece: Buffer): Acknowledgement {
    let bytes = this.heldBytes.length === 0 ? piece : Buffer.concat([this.heldBytes, piece]);
    let from = 0;
    for (;;) {
      const start = bytes.indexOf(this.mark, from);
      if (start === -1) return this.holdBack(bytes, findPartialMark(bytes, this.mark));
      const words = start + this.mark.length;
      const end = bytes.indexOf(NEWLINE, words);
      if (end === -1 && bytes.length - words <= MAX_ANSWER_LENGTH) return this.holdBack(bytes, start);
      const answer = end === -1 ? '' : bytes.toString('latin1', words, end);
      if (answer === STDERR_WORD) {
        this.merged = true;
        bytes = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end + 1)]);
        from = start;
        continue;
      }
      const [, pid, state, startTime] = ANSWER_PATTERN.exec(answer) ?? [];
      if (pid !== undefined) {
        this.heldBytes = EMPTY_BUFFER;
        const before = bytes.subarray(0, start);
        return { before, pid: Number(pid), state, startTime, after: bytes.subarray(end + 1) };
      }
      from = words; // The nonce belongs to an echo of the input, not to an acknowledgement.
    }
  }

  rest(): Buffer {
    const rest = this.heldBytes;
    this.heldBytes = EMPTY_BUFFER;
    return rest;
  }

  private holdBack(bytes: Buffer, from: number): Acknowledgement {
    this.heldBytes = Buffer.from(bytes.subarray(from));
    return { before: bytes.subarray(0, from), after: EMPTY_BUFFER };
  }
}

export const toStderrMark = (nonce: string): string => `${nonce} ${STDERR_WORD}\n`;
