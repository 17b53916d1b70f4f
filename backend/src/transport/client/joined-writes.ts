import type { Duplex } from 'node:stream';

/**
 * Joins all writes of one event-loop turn. ssh2 writes each small packet separately, and each write costs a system call
 * and a network packet.
 */
export function joinWrites(socket: Duplex): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    socket.uncork();
  };
  socket.write = (...args: unknown[]): boolean => {
    if (!isCorked) {
      isCorked = true;
      socket.cork();
      setImmediate(uncork);
    }
    return write(...args);
  };
}
