import type { Client, ClientCallback, ClientChannel } from 'ssh2';

/**
 * Bytes of one command's output that wait here or are on their way, over both of its streams. A host sends so much per
 * round trip at the most: 2.5 MB/s where a round trip takes 100 ms.
 */
const WINDOW_BYTES = 256 * 1024;
/** What ssh2 (1.17) takes for the window of every channel. */
const SSH2_WINDOW_BYTES = 2 * 1024 * 1024;

/** What ssh2 (1.17) keeps to itself. It has no setting for the size of a window. */
interface Protocol {
  session(channel: number, window: number, packetSize: number): void;
  channelWindowAdjust(channel: number, bytes: number): void;
}
interface WithProtocol {
  _protocol?: Protocol;
}
interface Ends {
  incoming: { window: number; state: string };
  outgoing: { id: number; state: string };
}

/** `client.exec`, with a window of {@link WINDOW_BYTES}: the channel must go through `boundChannel`. */
export function execBounded(client: Client, text: string, done: ClientCallback): void {
  const { _protocol: protocol } = client as WithProtocol;
  if (!protocol) {
    client.exec(text, done);
    return;
  }
  const session = protocol.session.bind(protocol);
  protocol.session = (channel, _window, packetSize) => session(channel, WINDOW_BYTES, packetSize);
  try {
    client.exec(text, done);
  } finally {
    protocol.session = session;
  }
}

/**
 * Repairs habits of ssh2's channels (1.17) that a command's output must not depend on.
 *
 * 1. Standard output and error share one window of 2 MiB, and reading either of them opens it again, however much of
 *    the other is waiting. A command that writes to both would fill the memory of a reader that has paused, and many
 *    commands would do so anyway. Here the host may send what is left of {@link WINDOW_BYTES} beside all that waits.
 * 2. When the command closes its output, Node destroys the stream, and ssh2 closes the channel with it, although the
 *    command may go on silently and its exit status is still to come. OpenSSH sends the status all the same, but no
 *    server has to. Here only an explicit `close()` closes the channel.
 * 3. Streams end alike whether the host ended them or the connection was lost: here `cut` tells the latter.
 */
export function boundChannel(client: Client, channel: ClientChannel): void {
  const { stderr } = channel;
  const { incoming, outgoing } = channel as unknown as Ends;
  incoming.window -= SSH2_WINDOW_BYTES - WINDOW_BYTES;
  const reopen = () => {
    const more = WINDOW_BYTES - incoming.window - channel.readableLength - stderr.readableLength;
    if (more < WINDOW_BYTES / 2 || outgoing.state === 'closed') return;
    incoming.window += more;
    (client as WithProtocol)._protocol?.channelWindowAdjust(outgoing.id, more);
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
      // keeps ssh2 from opening the window by itself
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
