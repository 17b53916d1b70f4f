import { randomBytes } from 'node:crypto';
import { joinScriptLines } from './journal-shell.js';
import { MarkFilter } from './turn-marks.js';

/**
 * Handshake on a channel, before any part of a command is sent.
 *
 * A start-up file of the login user (`exec zsh` in ~/.bashrc) or a forced command can replace the program that Runward
 * asked the host to run. A shell in its place would read the command from standard input and run it, without the marks
 * that report its progress. Therefore:
 *
 * 1. Runward sends nothing until the launcher has sent its greeting. Other programs receive no byte.
 * 2. Runward sends a challenge: one line with a word that is not the name of any program.
 * 3. The launcher answers with both halves of the word in reverse order. A program that echoes or executes its input
 *    does not give this answer, nor does a launcher whose input goes to another program.
 *
 * A warm launcher, which waits for its next command, has already answered. Its marks count as the answer.
 */
const LAUNCHER_MARK_PREFIX = '\x1erunward-launcher ';
const LAUNCHER_READY_MARK = `${LAUNCHER_MARK_PREFIX}ready\n`;

/** The launcher's part of the handshake, as POSIX shell text with built-in commands only. */
export const HANDSHAKE_SCRIPT = joinScriptLines(`
  printf "\\036runward-launcher ready\\n"; read -r _rw _rp _rx || exit 125;
  printf "\\036runward-launcher %s%s\\n" "$_rx" "$_rp";`);

/** Returns the challenge for a launcher, and the only valid answer. */
export function createChallenge(random: string): { challenge: string; answer: string } {
  const halfLength = random.length / 2;
  const [first, second] = [random.slice(0, halfLength), random.slice(halfLength)];
  return { challenge: `runward-handshake ${first} ${second}\n`, answer: `${LAUNCHER_MARK_PREFIX}${second}${first}\n` };
}

/** Runward's part of the handshake: reads the output of a channel until the launcher has answered. */
export class Handshake {
  private readonly hello = new MarkFilter(LAUNCHER_READY_MARK);
  private readonly answer: MarkFilter;
  private readonly challenge: string;

  constructor(private readonly send: (text: string) => void) {
    const { challenge, answer } = createChallenge(randomBytes(16).toString('hex'));
    this.challenge = challenge;
    this.answer = new MarkFilter(answer);
  }

  get hasLauncherGreeted(): boolean {
    return this.hello.found;
  }

  get hasAnswered(): boolean {
    return this.answer.found;
  }

  /** @returns bytes before the answer, without the launcher's own words, and bytes after the answer */
  push(piece: Buffer): { before: Buffer; after: Buffer } {
    if (this.hello.found) return this.answer.push(piece);
    const { before, after } = this.hello.push(piece);
    if (!this.hello.found) return { before, after };
    this.send(this.challenge);
    const rest = this.answer.push(after);
    return { before: Buffer.concat([before, rest.before]), after: rest.after };
  }

  rest(): Buffer {
    return Buffer.concat([this.hello.rest(), this.answer.rest()]);
  }
}
