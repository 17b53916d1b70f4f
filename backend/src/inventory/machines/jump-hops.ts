import type { OpenedKey } from '../../keys/key-vault.js';
import { toLoginTimeoutOption } from '../../transport/connection/login-timeout.js';
import type { JumpHop } from '../../transport/connection/jump-route.js';
import { getTrustedKeys, getPinnedKeys, type StoredPins } from '../../transport/keys/pinned-key.js';

export interface JumpServerLogin extends StoredPins {
  /** Null: the jump server is in another environment, which readers of the host may not see. */
  name: string | null;
  hostname: string;
  port: number;
  username: string;
  sshKeyId: string;
  jumpServerId: string | null;
  legacyAlgorithms?: boolean;
  loginTimeoutSeconds?: number;
}

/** @param last the jump server that connects to the host */
export function collectJumpPath<T extends JumpServerLogin>(last: string, known: ReadonlyMap<string, T>): T[] {
  const path: T[] = [];
  for (let id: string | null = last; id !== null; ) {
    const jump: T | undefined = known.get(id);
    // Stored paths have no cycles; this check only prevents an endless loop.
    if (!jump || path.includes(jump)) break;
    path.unshift(jump);
    id = jump.jumpServerId;
  }
  return path;
}

export function toHop(jump: JumpServerLogin, keys: ReadonlyMap<string, OpenedKey>): JumpHop {
  const { hostname: host, port, username, sshKeyId, name, legacyAlgorithms = false, loginTimeoutSeconds } = jump;
  const key = keys.get(sshKeyId);
  const login = {
    ...getTrustedKeys(getPinnedKeys(jump)),
    legacyAlgorithms,
    ...toLoginTimeoutOption(loginTimeoutSeconds),
  };
  return {
    label: name === null ? 'jump server in another environment' : `jump server "${name}"`,
    target: key === undefined ? null : { host, port, username, ...key, ...login },
  };
}
