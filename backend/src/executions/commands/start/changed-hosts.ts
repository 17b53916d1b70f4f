import { conflict, type Problem } from '../../../common/errors/problem.js';
import type { ServerConnectionFields } from '../../../inventory/run-targets.reader.js';
import { type JumpServerLogin, collectJumpPath } from '../../../inventory/machines/jump-hops.js';
import {
  getPinnedKeys,
  haveSamePins,
  type StoredPins,
  formatPinFingerprints,
} from '../../../transport/keys/pinned-key.js';
import type { FrozenHost } from '../../record/snapshot.js';

const MAX_NAMED_HOSTS = 5;

type FrozenHostLogin = Pick<
  FrozenHost,
  | 'name'
  | 'hostname'
  | 'port'
  | 'username'
  | 'ssh_key_id'
  | 'host_key'
  | 'more_host_keys'
  | 'jump_server_id'
  | 'legacy_algorithms'
>;

type HostLogin = Omit<FrozenHostLogin, 'name'>;

function listHostChanges(
  frozen: HostLogin,
  now: StoredPins &
    Omit<ServerConnectionFields, 'moreHostKeys' | 'legacyAlgorithms'> &
    Pick<JumpServerLogin, 'legacyAlgorithms'>,
): string[] {
  const address = ({ hostname, port }: { hostname: string; port: number }) => `${hostname}:${port}`;
  const changes: string[] = [];
  if (address(frozen) !== address(now)) changes.push(`address ${address(frozen)}, now ${address(now)}`);
  const [before, after] = [
    getPinnedKeys({ hostKey: frozen.host_key, moreHostKeys: frozen.more_host_keys }),
    getPinnedKeys(now),
  ];
  if (!haveSamePins(before, after))
    changes.push(`host key ${formatPinFingerprints(before)}, now ${formatPinFingerprints(after)}`);
  if (frozen.jump_server_id !== now.jumpServerId) changes.push('another jump server');
  if (frozen.username !== now.username) changes.push(`login user ${frozen.username}, now ${now.username}`);
  if (frozen.ssh_key_id !== now.sshKeyId) changes.push('another SSH key');
  const [were, are] = [frozen.legacy_algorithms ?? false, now.legacyAlgorithms ?? false];
  if (were !== are) changes.push(are ? 'legacy algorithms allowed' : 'legacy algorithms no longer allowed');
  return changes;
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
    const frozen = {
      ...jump,
      ssh_key_id: jump.sshKeyId,
      host_key: jump.hostKey,
      more_host_keys: [...(jump.moreHostKeys ?? [])],
      jump_server_id: jump.jumpServerId,
      legacy_algorithms: jump.legacyAlgorithms,
    };
    const changes = listHostChanges(frozen, currentServer);
    if (changes.length > 0 && jump.name === null) return ['a jump server in another environment was changed'];
    return changes.map((change) => `jump server: ${change}`);
  });
}

/**
 * Returns a Problem that names the hosts whose connection settings changed, with the changes; null: no host changed.
 */
export function findChangedHostsProblem(
  hosts: readonly { frozen: FrozenHostLogin; now: ServerConnectionFields }[],
  jumps: { before: JumpAddresses; now: JumpAddresses },
): Problem | null {
  const changed = hosts.flatMap(({ frozen, now }) => {
    const changes = [...listHostChanges(frozen, now), ...listChangedJumpServers(frozen, jumps.before, jumps.now)];
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
