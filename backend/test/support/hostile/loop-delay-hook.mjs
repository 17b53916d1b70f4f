import { rmSync } from 'node:fs';
import net from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a process with `--import`: measures how long one turn of its event loop takes. Whoever connects to the
 * socket at `LOOP_DELAY_SOCKET` gets the longest turn since the one before, in ms, as JSON.
 *
 * A turn is counted in processor time of this thread, at most in the time by which a timer fired too late. By the clock
 * alone a busy machine would make every turn long, because it runs other programs in the middle of one; by processor time
 * alone many short turns, between which others had theirs, would look like a long one.
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
