import {
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconHourglass,
  IconLoader2,
  IconPlayerStop,
} from '@tabler/icons-react';
import type { Enrolment } from '../../../api/types';
import type { StatusStyle } from '../../../ui/status/statuses';

type EnrolmentProgress = Pick<Enrolment, 'state' | 'login' | 'lastRefusal'>;

export function enrolmentStyle({ state, login }: Pick<EnrolmentProgress, 'state' | 'login'>): StatusStyle {
  if (state === 'revoked') return { tone: 'muted', icon: IconPlayerStop, label: 'Revoked' };
  if (state === 'expired') return { tone: 'muted', icon: IconClock, label: 'Expired' };
  if (state === 'open') return { tone: 'active', icon: IconHourglass, label: 'Waiting for the host' };
  if (login === null) return { tone: 'active', icon: IconLoader2, label: 'Registered, signing in' };
  return login.state === 'reachable'
    ? { tone: 'good', icon: IconCircleCheck, label: 'Registered, login works' }
    : { tone: 'bad', icon: IconCircleX, label: 'Registered, login failed' };
}

/** Describes the latest event; null: none. */
export function enrolmentStateText({ state, login, lastRefusal }: EnrolmentProgress): string | null {
  if (login && (!lastRefusal || login.at >= lastRefusal.at)) return login.reason.text;
  if (lastRefusal) {
    const others = lastRefusal.otherServers.map(
      ({ serverName, environmentName }) => `“${serverName}” in “${environmentName}”`,
    );
    const same = others.length === 0 ? '' : ` It is the host of ${others.join(', ')}.`;
    return `A host from ${lastRefusal.address} was refused: ${lastRefusal.reason.text}${same}`;
  }
  if (state === 'expired') return 'No host enrolled before expiry.';
  return state === 'used' ? 'Runward is signing in.' : null;
}
