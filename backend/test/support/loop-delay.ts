import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The longest delay of a process' event loop since it was last asked, in ms. */
export interface LoopDelay {
  /** By the clock: also what other processes of a busy machine took. */
  wall: number;
  /** Only what the process' own main thread computed. */
  busy: number;
}

/** Environment variables that let a process of ours measure its event loop and tell of it at a socket. */
export const loopDelaySettings = (socket: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, 'loop-delay-hook.mjs')).href}`,
  LOOP_DELAY_SOCKET: socket,
});

/** Asks for the longest delay, and begins anew. */
export async function readLoopDelay(socketPath: string): Promise<LoopDelay> {
  const socket = net.connect(socketPath);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(socket, 'end');
  return JSON.parse(text) as LoopDelay;
}
