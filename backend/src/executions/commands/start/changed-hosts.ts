import { conflict, type Problem } from '../../../common/errors/problem.js';
import {
  type JumpServerLogin,
  collectJumpPath,
  toServerConnection,
} from '../../../inventory/fields/server-connection.js';
import type { ServerConnection } from '../../../inventory/fields/server-fields.js';
import { describeSettingChanges } from '../../../inventory/fields/server-settings.js';
import { getPinnedKeys, haveSamePins, formatPinFingerprints } from '../../../transport/keys/pinned-key.js';
import { type FrozenConnection, type FrozenHost, thawConnection } from '../../record/snapshot.js';

const MAX_NAMED_HOSTS = 5;

type FrozenHostLogin = Pick<FrozenHost, 'name' | keyof FrozenConnection>;

function listHostChanges(frozen: ServerConnection, now: ServerConnection): string[] {
  const address = ({ hostname, port }: { hostname: string; port: number }) => `${hostname}:${port}`;
  const changes: string[] = [];
  if (address(frozen) !== address(now)) changes.push(`address ${address(frozen)}, now ${address(now)}`);
  const [before, after] = [getPinnedKeys(frozen), getPinnedKeys(now)];
  if (!haveSamePins(before, after))
    changes.push(`host key ${formatPinFingerprints(before)}, now ${formatPinFingerprints(after)}`);
  if (frozen.jumpServerId !== now.jumpServerId) changes.push('another jump server');
  if (frozen.username !== now.username) changes.push(`login user ${frozen.username}, now ${now.username}`);
  if (frozen.sshKeyId !== now.sshKeyId) changes.push('another SSH key');
  return [...changes, ...describeSettingChanges(frozen, now)];
}

type JumpAddresses = ReadonlyMap<string, JumpServerLogin>;

function listChangedJumpServers(
  { jump_server_id }: FrozenHostLogin,
  before: JumpAddresses,
  now: JumpAddresses,
): string[] {
  if (jump_server_id === null) return [];
  return collectJumpPath(jump_server_id, before).flatMap((jump) => {
    const [id] = [...before].find(([, each]) => each === jump) ?? [];
    const currentServer = now.get(id ?? '');
    if (!currentServer) return ['a jump server no longer exists'];
    const changes = listHostChanges(toServerConnection(jump), toServerConnection(currentServer));
    if (changes.length > 0 && jump.name === null) return ['a jump server in another environment was changed'];
    return changes.map((change) => `jump server: ${change}`);
  });
}

/**
 * Returns a Problem that names the hosts whose connection settings changed, with the changes; null: no host changed.
 */
export function findChangedHostsProblem(
  hosts: readonly { frozen: FrozenHostLogin; now: ServerConnection }[],
  jumps: { before: JumpAddresses; now: JumpAddresses },
): Problem | null {
  const changed = hosts.flatMap(({ frozen, now }) => {
    const changes = [
      ...listHostChanges(thawConnection(frozen), now),
      ...listChangedJumpServers(frozen, jumps.before, jumps.now),
    ];
    return changes.length > 0 ? [`"${frozen.name}" (${changes.join('; ')})`] : [];
  });
  if (changed.length === 0) return null;
  const more = changed.length > MAX_NAMED_HOSTS ? ` and ${changed.length - MAX_NAMED_HOSTS} more` : '';
  const verb = changed.length === 1 ? 'has' : 'have';
  return conflict(
    'hosts_changed',
    `${changed.slice(0, MAX_NAMED_HOSTS).join(', ')}${more} ${verb} other connection settings than in that run. Rerun with the current settings (snapshot: current).`,
  );
}
