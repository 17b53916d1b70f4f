import type { JumpStop } from '../jump-paths.js';

/** Jump path to a server, first jump server after Runward first; null = part of it is hidden from the caller. */
export type VisibleJumpPath = readonly JumpStop[] | null;

/** @param last nearest jump server of the server; null = direct connection */
export function jumpPathTo(last: string | null, known: ReadonlyMap<string, JumpStop>): VisibleJumpPath {
  const jumpStops: JumpStop[] = [];
  for (let id = last; id !== null; ) {
    const stop = known.get(id);
    if (!stop || jumpStops.includes(stop)) return null;
    jumpStops.unshift(stop);
    id = stop.jumpServerId;
  }
  return jumpStops;
}

/** Formats a jump path for OpenSSH `ProxyJump`. Uses addresses, because names are known only to Runward. */
export const proxyJump = (jumpStops: readonly JumpStop[]): string =>
  jumpStops
    .map(({ hostname, port, username }) => `${username}@${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`)
    .join(',');

export const HIDDEN_JUMP_PATH = 'reached through a jump server that you may not see';
