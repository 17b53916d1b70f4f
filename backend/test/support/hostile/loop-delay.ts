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
