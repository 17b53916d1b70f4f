import { once } from 'node:events';
import { createServer } from 'node:net';

/** An identity that this process answers for, and how to give it up. */
export interface AnsweredIdentity {
  close(): void;
}

/**
 * Answers for an identity on this machine, by a socket in Linux's abstract namespace: no file is left by a killed process.
 * @returns null while another process answers for it
 */
export async function answerFor(identity: string): Promise<AnsweredIdentity | null> {
  // Nobody has to connect: that the name is taken is the answer.
  const server = createServer((socket) => socket.destroy());
  server.listen({ path: `\0runward-${identity}` });
  try {
    await once(server, 'listening');
  } catch {
    return null;
  }
  server.unref();
  return { close: () => server.close() };
}
