import type { Client, ClientCallback, ClientChannel } from 'ssh2';
import { toPrivateChannel, toPrivateClient } from './private-fields.js';

/**
 * Maximum bytes of one command's output that are buffered here or in transit, for both streams together. This limits
 * the rate to one window per round trip: 2.5 MB/s at 100 ms.
 */
const CHANNEL_WINDOW_BYTES = 256 * 1024;
/** ssh2 has no setting for the window size. */
export const SSH2_DEFAULT_WINDOW_BYTES = 2 * 1024 * 1024;

/** Calls `client.exec` with a window of {@link CHANNEL_WINDOW_BYTES}. Pass the channel to `limitChannelWindow`. */
export function execWithSmallWindow(client: Client, text: string, done: ClientCallback): void {
  const { _protocol: protocol } = toPrivateClient(client);
  if (!protocol) {
    client.exec(text, done);
    return;
  }
  const session = protocol.session.bind(protocol);
  protocol.session = (channel, _window, packetSize) => session(channel, CHANNEL_WINDOW_BYTES, packetSize);
  try {
    client.exec(text, done);
  } finally {
    protocol.session = session;
  }
}

/**
 * Fixes three behaviours of ssh2 channels that affect command output.
 *
 * 1. Standard output and error share one window of 2 MiB. Reading either stream reopens the window, however much data
 *    of the other stream is buffered. A command that writes to both could fill the memory of a paused reader; so could
 *    many commands. Here the window is {@link CHANNEL_WINDOW_BYTES} minus all buffered data.
 * 2. When the command closes its output, Node destroys the stream, and ssh2 closes the channel. The command may still
 *    run and its exit status is still pending. OpenSSH sends the status anyway, but other servers may not. Here only an
 *    explicit `close()` closes the channel.
 * 3. Streams end in the same way when the host ends them and when the connection is lost. `cut` is true for a lost
 *    connection.
 */
export function limitChannelWindow(client: Client, channel: ClientChannel): void {
  const { stderr } = channel;
  const { incoming, outgoing } = toPrivateChannel(channel);
  incoming.window -= SSH2_DEFAULT_WINDOW_BYTES - CHANNEL_WINDOW_BYTES;
  const reopen = () => {
    const more = CHANNEL_WINDOW_BYTES - incoming.window - channel.readableLength - stderr.readableLength;
    if (more < CHANNEL_WINDOW_BYTES / 2 || outgoing.state === 'closed') return;
    incoming.window += more;
    toPrivateClient(client)._protocol?.channelWindowAdjust(outgoing.id, more);
  };
  let endedByHost = false;
  Object.defineProperty(channel, 'cut', { get: () => !endedByHost && outgoing.state !== 'closed' });
  for (const stream of [channel, stderr]) {
    const push = stream.push.bind(stream);
    const read = stream.read.bind(stream);
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk === null && incoming.state === 'eof') endedByHost = true;
      push(chunk, encoding);
      reopen();
      return false;
    };
    stream.read = (size?: number): unknown => {
      const taken: unknown = read(size);
      if (taken !== null) reopen();
      return taken;
    };
    stream._read = () => undefined;
  }
  channel.destroy = () => channel;
}

/**
 * SSH servers accept far larger packets. ssh2 splits data into packets of the size that the host requests, and
 * loops forever if that size is 0.
 */
const MIN_PACKET_BYTES = 128;

/**
 * Returns why nothing can be sent over the channel; null: the channel is usable. Call before writing the first byte.
 */
export function findChannelFault(channel: ClientChannel): string | null {
  const { packetSize } = toPrivateChannel(channel).outgoing;
  return packetSize >= MIN_PACKET_BYTES ? null : `it accepts only packets of ${packetSize} bytes`;
}
