import type { Duplex } from 'node:stream';
import { identificationOf } from '../peer-words.js';
import type { SshAttempt } from '../ssh-errors.js';

/** A server may say something before it names itself; more than this is no greeting. */
const LONGEST_BYTES = 2_000;

/**
 * Notes the first bytes that the other side sends, in whatever pieces they come. To be called when the SSH library
 * already reads the socket, which begins to flow with this.
 * @param identified called once an SSH server has named itself, with what may be shown of that; empty: nothing
 */
export function noteGreeting(socket: Duplex, attempt: SshAttempt, identified?: (name: string) => void): void {
  let greeting = '';
  const take = (bytes: Buffer): void => {
    greeting += bytes.toString('latin1', 0, LONGEST_BYTES - greeting.length);
    const named = /^SSH-[^\n]*\n/m.test(greeting);
    // What follows is no text any more.
    attempt.greeting = named ? greeting.slice(0, greeting.indexOf('\n', greeting.search(/^SSH-/m)) + 1) : greeting;
    if (!named && greeting.length < LONGEST_BYTES) return;
    socket.off('data', take);
    if (named) identified?.(identificationOf(greeting) ?? '');
  };
  socket.on('data', take);
}
