import type { JumpStop } from '../jump-paths.js';

/** The jump servers on the way to a server, the first one nearest to Runward; null: the caller may not see all of them. */
export type Way = readonly JumpStop[] | null;

/** @param last what the server is reached through; null: nothing */
export function wayOver(last: string | null, known: ReadonlyMap<string, JumpStop>): Way {
  const way: JumpStop[] = [];
  for (let id = last; id !== null; ) {
    const stop = known.get(id);
    if (!stop || way.includes(stop)) return null;
    way.unshift(stop);
    id = stop.jumpServerId;
  }
  return way;
}

/** As `ProxyJump` of OpenSSH takes it. Addresses, so that it is true wherever the text is used. */
export const proxyJump = (way: readonly JumpStop[]): string =>
  way
    .map(({ hostname, port, username }) => `${username}@${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`)
    .join(',');

/** Said where the way is hidden. */
export const HIDDEN_WAY = 'reached through a jump server that you may not see';
