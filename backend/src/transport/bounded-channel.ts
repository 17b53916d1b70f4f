import type { ClientChannel } from 'ssh2';

/**
 * Repairs two habits of ssh2's channels (1.17) that a command's output must not depend on.
 *
 * 1. Standard output and error share one window, and reading either of them opens it again, however much of the other
 *    is waiting. A command that writes to both would fill the memory of a reader that has paused. Here neither opens
 *    the window while the other one is full, so that at most a few megabytes wait.
 * 2. When the command closes its output, Node destroys the stream, and ssh2 closes the channel with it, although the
 *    command may go on silently and its exit status is still to come. OpenSSH sends the status all the same, but no
 *    server has to. Here only an explicit `close()` closes the channel.
 */
export function boundChannel(channel: ClientChannel): void {
  const { stderr } = channel;
  for (const [stream, other] of [
    [channel, stderr],
    [stderr, channel],
  ] as const) {
    const push = stream.push.bind(stream);
    const read = stream._read.bind(stream);
    const otherIsFull = () => other.readableLength >= other.readableHighWaterMark;
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => push(chunk, encoding) && !otherIsFull();
    stream._read = (size: number) => {
      if (!otherIsFull()) read(size);
    };
  }
  channel.destroy = () => channel;
}
