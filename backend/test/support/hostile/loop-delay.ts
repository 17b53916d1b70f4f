import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Environment variables that let a process of ours measure its event loop and tell of it at a socket. */
export const loopDelaySettings = (socket: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, 'loop-delay-hook.mjs')).href}`,
  LOOP_DELAY_SOCKET: socket,
});

/** Asks for the longest turn of the process' event loop since the last question, in ms of its main thread's processor time. */
export async function readLoopDelay(socketPath: string): Promise<number> {
  const socket = net.connect(socketPath);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(socket, 'end');
  return (JSON.parse(text) as { longest: number }).longest;
}

/** The least processor time, in ms, that the work below took where the limits on delays were set, on two shared cores. */
const REFERENCE_MS = 41;
const TEXT = JSON.stringify(
  Array.from({ length: 5000 }, (_, index) => ({ key: `step-${index}`, values: [index, index / 3, String(index)] })),
);

/** What the service does with bodies: parses, prints, looks names up and walks through text. */
function referenceWork(): number {
  const steps = JSON.parse(TEXT) as { key: string }[];
  return JSON.stringify(steps).length + new Set(steps.map(({ key }) => key)).size + [...TEXT].length;
}

/** How many times as long as at that place this machine takes now for the same work; at least 1. */
export function slowness(): number {
  const times = Array.from({ length: 5 }, () => {
    const from = process.threadCpuUsage();
    for (let time = 0; time < 4; time += 1) referenceWork();
    const { user, system } = process.threadCpuUsage(from);
    return (user + system) / 1000;
  });
  return Math.max(1, Math.min(...times) / REFERENCE_MS);
}
