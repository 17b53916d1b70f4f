import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconDoorExit,
  IconKey,
  IconLoader2,
  IconPlayerStop,
} from '@tabler/icons-react';
import type { Rotation, RotationCounts, RotationHost, RotationHostStatus } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import type { StatusStyle } from '../../../ui/status/statuses';

/** In display order: failures first, then by progress. */
export const HOST_STATES: Record<RotationHostStatus, StatusStyle> = {
  failed: { tone: 'bad', icon: IconCircleX, label: 'Failed' },
  pending: { tone: 'idle', icon: IconCircleDashed, label: 'Old key' },
  installed: { tone: 'active', icon: IconLoader2, label: 'New key installed' },
  switched: { tone: 'active', icon: IconKey, label: 'New key works' },
  done: { tone: 'good', icon: IconCircleCheck, label: 'Done' },
  given_up: { tone: 'warn', icon: IconPlayerStop, label: 'Given up' },
  left: { tone: 'muted', icon: IconDoorExit, label: 'Skipped' },
};
export const ROTATION_HOST_STATES = Object.keys(HOST_STATES) as RotationHostStatus[];

/** Texts for hosts whose state has no message of its own. */
export const STATE_MEANINGS: Record<RotationHostStatus, string> = {
  failed: 'Failed. The server keeps its current key.',
  pending: 'The server uses the old key.',
  installed: 'Both public keys are installed.',
  switched: 'The server uses the new key. The old public key is still installed.',
  done: 'The old public key was removed, and the host refuses it.',
  given_up: 'A member gave up this host.',
  left: 'The server was deleted or changed to another key.',
};

/** Whether a member can retry or give up the host. */
export const canGiveUp = ({ status }: Pick<RotationHost, 'status'>): boolean =>
  ['failed', 'pending', 'installed', 'switched'].includes(status);

export const hostCount = (counts: RotationCounts): number =>
  ROTATION_HOST_STATES.reduce((sum, state) => sum + counts[state], 0);

export function rotationStyle({ open, counts }: Pick<Rotation, 'open' | 'counts'>): StatusStyle {
  if (open)
    return counts.failed > 0
      ? { tone: 'bad', icon: IconCircleX, label: 'Hosts failed' }
      : { tone: 'active', icon: IconLoader2, label: 'Running' };
  return counts.given_up > 0
    ? { tone: 'warn', icon: IconPlayerStop, label: 'Ended, hosts given up' }
    : { tone: 'good', icon: IconCircleCheck, label: 'Done' };
}

export function progressText({ open, counts }: Pick<Rotation, 'open' | 'counts'>): string {
  const all = hostCount(counts);
  const { done, failed, given_up: givenUp, left } = counts;
  if (all === 0) return 'No hosts that you can view.';
  const waiting = all - done - failed - givenUp - left;
  const parts = [
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} in progress`] : []),
    ...(givenUp > 0 ? [`${givenUp.toLocaleString('en')} given up`] : []),
    ...(left > 0 ? [`${left.toLocaleString('en')} skipped`] : []),
  ];
  const text = `${done.toLocaleString('en')} of ${plural(all, 'host')} done${parts.length > 0 ? `, ${parts.join(', ')}` : ''}.`;
  return open && failed > 0 ? `${text} The rotation stays open until you retry or give up the failed hosts.` : text;
}
