import type { Duplex } from 'node:stream';

/**
 * Has what is written in one turn of the event loop go out together: an SSH client writes each small packet by itself,
 * and each write is a call into the kernel and a packet on the network of its own.
 */
export function joinWrites(socket: Duplex): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let corked = false;
  const uncork = (): void => {
    corked = false;
    socket.uncork();
  };
  socket.write = (...args: unknown[]): boolean => {
    if (!corked) {
      corked = true;
      socket.cork();
      setImmediate(uncork);
    }
    return write(...args);
  };
}
