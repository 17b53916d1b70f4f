import { randomBytes } from 'node:crypto';
import { joined } from './journal-shell.js';
import { MarkFilter } from './mark-filter.js';

/**
 * The handshake on a channel, before anything of a command is sent on it.
 *
 * A start-up file of the login user (`exec zsh` in ~/.bashrc) or a forced command can put another program in the place of
 * the text that Runward asked the host to run. A shell among them would read the command from its standard input and run
 * it, without any of the marks that tell what ran. Therefore:
 *
 * 1. Runward sends nothing until the launcher has said hello. No other program gets a byte.
 * 2. It sends a challenge, one line with a word that no program has as its name.
 * 3. The launcher answers with both halves in reverse order. A program that echoes what it reads, or that runs it, does
 *    not answer so, and a launcher whose input goes to another program does not either.
 *
 * A launcher that waits for its next command has answered before: its marks are the answer.
 */
const BEGIN = '\x1erunward-launcher ';
const HELLO = `${BEGIN}ready\n`;

/** The launcher's part, as POSIX shell text. Built-in commands only. */
export const HANDSHAKE = joined(`
  printf "\\036runward-launcher ready\\n"; read -r _rw _rp _rx || exit 125;
  printf "\\036runward-launcher %s%s\\n" "$_rx" "$_rp";`);

/** The challenge to a launcher, and its only right answer. */
export function challengeOf(random: string): { challenge: string; answer: string } {
  const half = random.length / 2;
  const [first, second] = [random.slice(0, half), random.slice(half)];
  return { challenge: `runward-handshake ${first} ${second}\n`, answer: `${BEGIN}${second}${first}\n` };
}

/** Our part: reads the output of a channel until the launcher has answered. */
export class Handshake {
  private readonly hello = new MarkFilter(HELLO);
  private readonly answer: MarkFilter;
  private readonly challenge: string;

  /** @param send writes to the channel */
  constructor(private readonly send: (text: string) => void) {
    const { challenge, answer } = challengeOf(randomBytes(16).toString('hex'));
    this.challenge = challenge;
    this.answer = new MarkFilter(answer);
  }

  /** The launcher has said hello. */
  get greeted(): boolean {
    return this.hello.found;
  }

  get answered(): boolean {
    return this.answer.found;
  }

  /** @returns what came before the answer without the launcher's words, and what came after it */
  push(piece: Buffer): { before: Buffer; after: Buffer } {
    if (this.hello.found) return this.answer.push(piece);
    const { before, after } = this.hello.push(piece);
    if (!this.hello.found) return { before, after };
    this.send(this.challenge);
    const rest = this.answer.push(after);
    return { before: Buffer.concat([before, rest.before]), after: rest.after };
  }

  /** What is held back when the stream ends without an answer. */
  rest(): Buffer {
    return Buffer.concat([this.hello.rest(), this.answer.rest()]);
  }
}
