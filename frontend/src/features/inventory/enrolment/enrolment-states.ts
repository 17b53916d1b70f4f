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

type Told = Pick<Enrolment, 'state' | 'login' | 'lastRefusal'>;

/** How far an enrolment is. */
export function enrolmentStyle({ state, login }: Pick<Told, 'state' | 'login'>): StatusStyle {
  if (state === 'revoked') return { tone: 'muted', icon: IconPlayerStop, label: 'Revoked' };
  if (state === 'expired') return { tone: 'muted', icon: IconClock, label: 'Expired' };
  if (state === 'open') return { tone: 'active', icon: IconHourglass, label: 'Waits for the host' };
  if (login === null) return { tone: 'active', icon: IconLoader2, label: 'Registered, about to sign in' };
  return login.state === 'reachable'
    ? { tone: 'good', icon: IconCircleCheck, label: 'Registered and signed in' }
    : { tone: 'bad', icon: IconCircleX, label: 'Registered, login failed' };
}

/** What happened last, in a sentence; null: nothing. */
export function whatHappened({ state, login, lastRefusal }: Told): string | null {
  if (login && (!lastRefusal || login.at >= lastRefusal.at)) return login.message;
  if (lastRefusal) {
    const others = lastRefusal.otherServers.map(
      ({ serverName, environmentName }) => `“${serverName}” in “${environmentName}”`,
    );
    const same = others.length === 0 ? '' : ` It is the host of ${others.join(', ')}.`;
    return `A host from ${lastRefusal.address} was turned away: ${lastRefusal.message}${same}`;
  }
  if (state === 'expired') return 'No host came in time.';
  return state === 'used' ? 'Runward tries to sign in.' : null;
}
