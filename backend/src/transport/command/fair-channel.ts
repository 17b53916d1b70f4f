import type { Client } from 'ssh2';

/**
 * A host that somebody took over may break the protocol, and ssh2 (1.17) takes its word for two things: it cuts what it
 * sends into packets of the size that the host asked for, where it never comes to an end if that is 0; and it keeps what
 * the host sends beyond the window, however much that is.
 */

/** Every SSH server takes far larger ones. */
const SMALLEST_PACKET = 128;

/** What ssh2 keeps to itself. */
interface Ends {
  incoming: { window: number };
  outgoing: { packetSize: number };
}
interface Stream {
  push(chunk: unknown, encoding?: BufferEncoding): boolean;
}
type AnyChannel = Stream & { stderr?: Stream };

/** Why nothing can be sent over the channel; null: it can. To be asked before the first byte is written. */
export function channelFault(channel: object): string | null {
  const { packetSize } = (channel as Ends).outgoing;
  return packetSize >= SMALLEST_PACKET ? null : `it takes packets of ${packetSize} bytes only`;
}

/** Ends the connection as soon as the host sends more than it was allowed to. */
export function demandWindow(client: Client, channel: AnyChannel): void {
  const { incoming } = channel as unknown as Ends;
  for (const stream of [channel, channel.stderr]) {
    if (!stream) continue;
    const push = stream.push.bind(stream);
    stream.push = (chunk, encoding) => {
      // the library has counted the chunk already
      if (incoming.window >= 0 || chunk === null) return push(chunk, encoding);
      client.destroy();
      return false;
    };
  }
}
