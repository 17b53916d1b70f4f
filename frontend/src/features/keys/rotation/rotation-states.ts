import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconDoorExit,
  IconKey,
  IconLoader2,
  IconPlayerStop,
} from '@tabler/icons-react';
import type { Rotation, RotationCounts, RotationHost, RotationHostState } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import type { StatusStyle } from '../../../ui/status/statuses';

/** What stands against it first, then from the beginning of the way to its end. */
export const HOST_STATES: Record<RotationHostState, StatusStyle> = {
  failed: { tone: 'bad', icon: IconCircleX, label: 'Failed' },
  pending: { tone: 'idle', icon: IconCircleDashed, label: 'Old key' },
  installed: { tone: 'active', icon: IconLoader2, label: 'New key put there' },
  switched: { tone: 'active', icon: IconKey, label: 'Signs in with the new key' },
  done: { tone: 'good', icon: IconCircleCheck, label: 'Done' },
  given_up: { tone: 'warn', icon: IconPlayerStop, label: 'Given up' },
  left: { tone: 'muted', icon: IconDoorExit, label: 'Left' },
};
export const ROTATION_HOST_STATES = Object.keys(HOST_STATES) as RotationHostState[];

/** What is so on a host in this state, where nothing else says it. */
export const STATE_MEANINGS: Record<RotationHostState, string> = {
  failed: 'It stopped. The server keeps the key that it has.',
  pending: 'The server uses the old key.',
  installed: 'The new public key stands beside the old one.',
  switched: 'A login with the new key worked, and the server uses it. The old public key is still there.',
  done: 'The old public key is gone, and the host refuses it.',
  given_up: 'A person left it as it is.',
  left: 'The server was deleted or given another key meanwhile.',
};

/** Hosts about which a person can still decide. */
export const canGiveUp = ({ state }: Pick<RotationHost, 'state'>): boolean =>
  ['failed', 'pending', 'installed', 'switched'].includes(state);

export const hostCount = (counts: RotationCounts): number =>
  ROTATION_HOST_STATES.reduce((sum, state) => sum + counts[state], 0);

/** How a rotation as a whole is drawn. */
export function rotationStyle({ open, counts }: Pick<Rotation, 'open' | 'counts'>): StatusStyle {
  if (open)
    return counts.failed > 0
      ? { tone: 'bad', icon: IconCircleX, label: 'Hosts failed' }
      : { tone: 'active', icon: IconLoader2, label: 'Under way' };
  return counts.given_up > 0
    ? { tone: 'warn', icon: IconPlayerStop, label: 'Over, hosts given up' }
    : { tone: 'good', icon: IconCircleCheck, label: 'Done' };
}

/** How far it is, in a sentence. */
export function progressText({ open, counts }: Pick<Rotation, 'open' | 'counts'>): string {
  const all = hostCount(counts);
  const { done, failed, given_up: givenUp, left } = counts;
  if (all === 0) return 'It has no host that you may see.';
  const waiting = all - done - failed - givenUp - left;
  const parts = [
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} under way`] : []),
    ...(givenUp > 0 ? [`${givenUp.toLocaleString('en')} given up`] : []),
    ...(left > 0 ? [`${left.toLocaleString('en')} left`] : []),
  ];
  const text = `${done.toLocaleString('en')} of ${plural(all, 'host')} done${parts.length > 0 ? `, ${parts.join(', ')}` : ''}.`;
  return open && failed > 0 ? `${text} It stays open until you try the failed ones again or give them up.` : text;
}
