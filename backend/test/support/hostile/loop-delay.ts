import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Environment variables that make a process measure its event loop and report it at a socket. */
export const loopDelaySettings = (socket: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, 'loop-delay-hook.mjs')).href}`,
  LOOP_DELAY_SOCKET: socket,
});

/** Longest event-loop turn of the process since the previous call, in ms of its main thread's CPU time. */
export async function readLoopDelay(socketPath: string): Promise<number> {
  const socket = net.connect(socketPath);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(socket, 'end');
  return (JSON.parse(text) as { longest: number }).longest;
}

/** CPU time of the reference work when the limits were set, in ms: the minimum on two shared cores. */
const REFERENCE_MS = 41;
const TEXT = JSON.stringify(
  Array.from({ length: 5000 }, (_, index) => ({ key: `step-${index}`, values: [index, index / 3, String(index)] })),
);

/** Work similar to request handling: parsing, serialising, lookups and text processing. */
function referenceWork(): number {
  const steps = JSON.parse(TEXT) as { key: string }[];
  return JSON.stringify(steps).length + new Set(steps.map(({ key }) => key)).size + [...TEXT].length;
}

/** Factor by which this machine is now slower than when the limits were set; at least 1. */
export function slowness(): number {
  const times = Array.from({ length: 5 }, () => {
    const from = process.threadCpuUsage();
    for (let time = 0; time < 4; time += 1) referenceWork();
    const { user, system } = process.threadCpuUsage(from);
    return (user + system) / 1000;
  });
  return Math.max(1, Math.min(...times) / REFERENCE_MS);
}
