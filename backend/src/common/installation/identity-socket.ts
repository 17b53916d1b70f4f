import { once } from 'node:events';
import { createServer } from 'node:net';

/** Claim of an identity by this process; `close` gives it up. */
export interface IdentityClaim {
  close(): void;
}

/**
 * Claims an identity on this machine, with a socket in Linux's abstract namespace: a killed process leaves no file
 * behind.
 * @returns null while another process holds the claim
 */
export async function claimIdentity(identity: string): Promise<IdentityClaim | null> {
  // No connection is needed: the taken name is the answer.
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
