import { once } from 'node:events';
import { createServer } from 'node:net';

export interface IdentityClaim {
  close(): void;
}

/**
 * Claims an identity on this machine. Uses a socket in Linux's abstract namespace, so that a killed process leaves no
 * file.
 * @returns null if another process holds the claim
 */
export async function claimIdentity(identity: string): Promise<IdentityClaim | null> {
  // Accepts no connections: whether the name is taken is all that matters.
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
