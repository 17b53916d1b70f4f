import type { OpenedKey } from '../../keys/key-vault.js';
import { loginTimeout } from '../../transport/connection/login-timeout.js';
import type { Hop } from '../../transport/connection/jump-route.js';
import { trustedBy, pinsOf, type StoredPins } from '../../transport/keys/pinned-key.js';

/** How a jump server is reached, as it is registered or as a run froze it. */
export interface JumpAddress extends StoredPins {
  /** Null: it is in another environment than the host, which not everybody may see who sees the host. */
  name: string | null;
  hostname: string;
  port: number;
  username: string;
  sshKeyId: string;
  /** What it is reached through itself. */
  jumpServerId: string | null;
  /** Absent: false. */
  legacyAlgorithms?: boolean;
  /** Absent: the default. */
  loginTimeoutSeconds?: number;
}

/**
 * The jump servers from Runward to a host, the first one first.
 * @param last the one that opens the connection to the host
 */
export function pathOf<T extends JumpAddress>(last: string, known: ReadonlyMap<string, T>): T[] {
  const path: T[] = [];
  for (let id: string | null = last; id !== null; ) {
    const jump: T | undefined = known.get(id);
    // What was stored cannot hold a circle; a path that did would have no end.
    if (!jump || path.includes(jump)) break;
    path.unshift(jump);
    id = jump.jumpServerId;
  }
  return path;
}

/** @param keys opened, by id */
export function hopOf(jump: JumpAddress, keys: ReadonlyMap<string, OpenedKey>): Hop {
  const { hostname: host, port, username, sshKeyId, name, legacyAlgorithms = false, loginTimeoutSeconds } = jump;
  const key = keys.get(sshKeyId);
  const login = { ...trustedBy(pinsOf(jump)), legacyAlgorithms, ...loginTimeout(loginTimeoutSeconds) };
  return {
    called: name === null ? 'jump server in another environment' : `jump server "${name}"`,
    target: key === undefined ? null : { host, port, username, ...key, ...login },
  };
}
