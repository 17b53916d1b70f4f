import { rmSync } from 'node:fs';
import net from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a process with `--import`: measures how long its event loop is held up. Whoever connects to the socket
 * at `LOOP_DELAY_SOCKET` gets the longest delays since the one before, in ms, as JSON:
 *  - `wall`: how much too late a timer fired
 *  - `busy`: the same, without the time in which the operating system ran something else on this processor
 */
const EVERY_MS = 4;
const path = process.env.LOOP_DELAY_SOCKET;

if (path && isMainThread) {
  const longest = { wall: 0, busy: 0 };
  let last = now();

  const tick = () => {
    const current = now();
    const wall = Math.max(0, current.wall - last.wall - EVERY_MS);
    longest.wall = Math.max(longest.wall, wall);
    longest.busy = Math.max(longest.busy, Math.min(wall, current.busy - last.busy));
    last = current;
  };
  setInterval(tick, EVERY_MS).unref();

  rmSync(path, { force: true });
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    tick();
    socket.end(JSON.stringify(longest));
    longest.wall = 0;
    longest.busy = 0;
  });
  server.listen(path);
  server.unref();
}

function now() {
  const { user, system } = process.threadCpuUsage();
  return { wall: performance.now(), busy: (user + system) / 1000 };
}
