import type { OpenedKey } from '../../keys/key-vault.js';
import { toLoginTimeoutOption } from '../../transport/connection/login-timeout.js';
import type { JumpHop } from '../../transport/connection/jump-route.js';
import type { SshTarget } from '../../transport/connection/ssh-connection.js';
import { getTrustedKeys, getPinnedKeys, type PinnedKey, type StoredPins } from '../../transport/keys/pinned-key.js';
import type { ServerConnection } from './server-fields.js';
import { completeSettings, type ServerSetting, type ServerSettings } from './server-settings.js';

type PlainConnection = Omit<ServerConnection, keyof StoredPins>;

/** Connection to a jump server, as runs freeze it. A missing setting has its default. */
export interface JumpServerLogin extends Omit<PlainConnection, ServerSetting>, StoredPins, Partial<ServerSettings> {
  /** Null: the jump server is in another environment, which readers of the host may not see. */
  name: string | null;
}

export const toServerConnection = (jump: JumpServerLogin): ServerConnection => ({
  hostname: jump.hostname,
  port: jump.port,
  username: jump.username,
  sshKeyId: jump.sshKeyId,
  hostKey: jump.hostKey,
  moreHostKeys: [...(jump.moreHostKeys ?? [])],
  jumpServerId: jump.jumpServerId,
  ...completeSettings(jump),
});

/** Returns the target of a login, without the key. */
export const toSshLogin = (
  { hostname: host, port, username, legacyAlgorithms, loginTimeoutSeconds }: Omit<PlainConnection, 'jumpServerId'>,
  pins: readonly PinnedKey[],
): Omit<SshTarget, keyof OpenedKey> => ({
  ...{ host, port, username, ...getTrustedKeys(pins), legacyAlgorithms },
  ...toLoginTimeoutOption(loginTimeoutSeconds),
});

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
  const key = keys.get(jump.sshKeyId);
  return {
    label: jump.name === null ? 'jump server in another environment' : `jump server "${jump.name}"`,
    target: key === undefined ? null : { ...toSshLogin(toServerConnection(jump), getPinnedKeys(jump)), ...key },
  };
}
