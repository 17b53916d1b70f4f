import type { JumpServerAddress } from '../jump-paths.js';

/** Jump path to a server, first jump server after Runward first; null = part of it is hidden from the caller. */
export type VisibleJumpPath = readonly JumpServerAddress[] | null;

/** @param last nearest jump server of the server; null = direct connection */
export function findJumpPathTo(last: string | null, known: ReadonlyMap<string, JumpServerAddress>): VisibleJumpPath {
  const jumpStops: JumpServerAddress[] = [];
  for (let id = last; id !== null; ) {
    const stop = known.get(id);
    if (!stop || jumpStops.includes(stop)) return null;
    jumpStops.unshift(stop);
    id = stop.jumpServerId;
  }
  return jumpStops;
}

/** Formats a jump path for OpenSSH `ProxyJump`. Uses addresses, because names are known only to Runward. */
export const formatProxyJump = (jumpStops: readonly JumpServerAddress[]): string =>
  jumpStops
    .map(({ hostname, port, username }) => `${username}@${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`)
    .join(',');

export const HIDDEN_JUMP_PATH_TEXT = 'reached through a jump server that you may not see';
