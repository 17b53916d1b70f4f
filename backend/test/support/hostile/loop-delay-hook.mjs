import { rmSync } from 'node:fs';
import net from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Preload with `--import`. Measures the longest turn of the event loop. A connection to the socket `LOOP_DELAY_SOCKET`
 * gets the longest turn since the previous connection, in ms, as JSON.
 *
 * The duration of a turn is the smaller one of this thread's CPU time and the delay of a timer. The delay alone would
 * include other programs on a busy machine. The CPU time alone would report many short turns as one long turn.
 */
const EVERY_MS = 4;
const path = process.env.LOOP_DELAY_SOCKET;

if (path && isMainThread) {
  let longest = 0;
  let last = now();

  const look = () => {
    const current = now();
    const late = current.clock - last.clock - EVERY_MS;
    longest = Math.max(longest, Math.min(late, current.processor - last.processor));
    last = current;
  };
  setInterval(look, EVERY_MS).unref();

  rmSync(path, { force: true });
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    look();
    socket.end(JSON.stringify({ longest }));
    longest = 0;
  });
  server.listen(path);
  server.unref();
}

function now() {
  const { user, system } = process.threadCpuUsage();
  return { clock: performance.now(), processor: (user + system) / 1000 };
}
