import type { Duplex } from 'node:stream';
import { parseIdentification } from '../peer-texts.js';
import type { SshAttempt } from '../ssh-errors.js';

/** Maximum recorded bytes before the server's identification. */
const MAX_GREETING_BYTES = 2_000;

/**
 * Records the first bytes from the server, however they are split. Call after ssh2 has started to read the socket,
 * because recording starts the flow of data.
 * @param onIdentified called once the server has identified itself as SSH, with the printable part of its software name;
 *   may be empty
 */
export function recordGreeting(socket: Duplex, attempt: SshAttempt, onIdentified?: (name: string) => void): void {
  let greeting = '';
  const take = (bytes: Buffer): void => {
    greeting += bytes.toString('latin1', 0, MAX_GREETING_BYTES - greeting.length);
    const named = /^SSH-[^\n]*\n/m.test(greeting);
    // Cut after the identification line, because binary data follows.
    attempt.greeting = named ? greeting.slice(0, greeting.indexOf('\n', greeting.search(/^SSH-/m)) + 1) : greeting;
    if (!named && greeting.length < MAX_GREETING_BYTES) return;
    socket.off('data', take);
    if (named) onIdentified?.(parseIdentification(greeting) ?? '');
  };
  socket.on('data', take);
}
