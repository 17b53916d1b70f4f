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

const LINE_FEED = 0x0a;
const IDENTIFICATION_PREFIX = Buffer.from('SSH-');
/** Longer lines are passed on in chunks. ssh2 then refuses them. */
const MAX_LINE_BYTES = 8192;

/**
 * Maximum bytes and lines before a server's identification. The limit of lines is that of OpenSSH's client (RFC 4253,
 * 4.2).
 */
export const MAX_BEFORE_IDENTIFICATION = { bytes: 64 * 1024, lines: 1024 };

/**
 * Passes on a server's output before its identification in complete lines, because ssh2 (1.17) loses parts of a line
 * that arrives in more than two chunks. Data after the identification is unchanged.
 */
export class IdentificationLineFilter {
  exceeded = false;
  private isIdentified = false;
  private heldBytes: Buffer = Buffer.alloc(0);
  private bytes = 0;
  private lines = 0;

  /** @returns the bytes to pass on now */
  take(chunk: Buffer): Buffer {
    if (this.isIdentified) return chunk;
    this.bytes += chunk.length;
    const text = this.heldBytes.length > 0 ? Buffer.concat([this.heldBytes, chunk]) : chunk;
    let start = 0;
    for (let end = text.indexOf(LINE_FEED); end >= 0; end = text.indexOf(LINE_FEED, start)) {
      this.isIdentified = text.subarray(start, start + IDENTIFICATION_PREFIX.length).equals(IDENTIFICATION_PREFIX);
      if (this.isIdentified) return this.release(text, text.length);
      this.lines += 1;
      start = end + 1;
      // Otherwise 64 KiB of empty lines would block the event loop for 100 ms.
      if (this.lines > MAX_BEFORE_IDENTIFICATION.lines) break;
    }
    this.exceeded = this.bytes > MAX_BEFORE_IDENTIFICATION.bytes || this.lines > MAX_BEFORE_IDENTIFICATION.lines;
    const isLong = !this.exceeded && text.length - start > MAX_LINE_BYTES;
    return this.release(text, isLong ? text.length : start);
  }

  rest(): Buffer {
    return this.release(this.heldBytes, this.heldBytes.length);
  }

  private release(text: Buffer, end: number): Buffer {
    this.heldBytes = text.subarray(end);
    return text.subarray(0, end);
  }
}
