import { conflict, type Problem } from '../../../common/errors/problem.js';
import type { ReachedServer } from '../../../inventory/run-targets.reader.js';
import type { FrozenHost } from '../../record/snapshot.js';

/** How many hosts a refusal names. */
const NAMED = 5;

type Frozen = Pick<FrozenHost, 'name' | 'hostname' | 'port' | 'username' | 'ssh_key_id' | 'host_key'>;

/** In what a server is reached in another way than a run froze it; empty: in nothing. */
function changesOf(frozen: Frozen, now: ReachedServer): string[] {
  const address = ({ hostname, port }: { hostname: string; port: number }) => `${hostname}:${port}`;
  const changes: string[] = [];
  if (address(frozen) !== address(now)) changes.push(`address ${address(frozen)}, now ${address(now)}`);
  const key = frozen.host_key;
  if (key?.type !== now.hostKey?.type || key?.publicKey !== now.hostKey?.publicKey)
    changes.push(`host key ${key?.fingerprint ?? 'none'}, now ${now.hostKey?.fingerprint ?? 'none'}`);
  if (frozen.username !== now.username) changes.push(`login user ${frozen.username}, now ${now.username}`);
  if (frozen.ssh_key_id !== now.sshKeyId) changes.push('another SSH key');
  return changes;
}

/** Null: every host is reached as it was. Each host is told by its name and what differs. */
export function changedHosts(hosts: readonly { frozen: Frozen; now: ReachedServer }[]): Problem | null {
  const changed = hosts.flatMap(({ frozen, now }) => {
    const changes = changesOf(frozen, now);
    return changes.length > 0 ? [`"${frozen.name}" (${changes.join('; ')})`] : [];
  });
  if (changed.length === 0) return null;
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : '';
  const are = changed.length === 1 ? 'is' : 'are';
  return conflict(
    'hosts_changed',
    `${changed.slice(0, NAMED).join(', ')}${more} ${are} not reached any more as that run did. Run it again with what there is now (snapshot: current).`,
  );
}
