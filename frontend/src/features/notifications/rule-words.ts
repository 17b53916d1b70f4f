import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconLoader2,
  IconPlayerSkipForward,
  IconStack3,
} from '@tabler/icons-react';
import type { NotificationDelivery, NotificationEvent, NotificationRule } from '../../api/types';
import type { StatusStyle } from '../../ui/status/statuses';

/** What rules tell of, in the order in which it is offered. */
export const EVENTS: readonly { value: NotificationEvent; label: string; hint: string }[] = [
  {
    value: 'approval_requested',
    label: 'A run waits for approval',
    hint: 'With those who may approve it, and until when.',
  },
  {
    value: 'decision_requested',
    label: 'A run waits for a decision',
    hint: 'At a gate, before a step, or after a failure.',
  },
  { value: 'failed', label: 'A run failed', hint: 'Failed, ran out of time, or was interrupted.' },
  { value: 'partially_succeeded', label: 'A run succeeded on some hosts only', hint: 'Within the plan’s limits.' },
  { value: 'recovered', label: 'A plan succeeds again', hint: 'The first success in an environment after a failure.' },
  {
    value: 'unknown_results',
    label: 'Results are unknown',
    hint: 'Hosts wait for a person to say what happened there.',
  },
  {
    value: 'rejected_or_expired',
    label: 'A run was rejected, or nobody decided in time',
    hint: 'Nothing further runs.',
  },
  {
    value: 'schedule_failed',
    label: 'A schedule started no run',
    hint: 'Refused, paused by the service, or nobody was there. Once for each reason.',
  },
  {
    value: 'webhook_disabled',
    label: 'A webhook was disabled',
    hint: 'By the service, since nothing got through. For admins, and rules for all environments and plans.',
  },
  {
    value: 'protection_changed',
    label: 'A change weakens the protection of an environment',
    hint: 'Requested, agreed, rejected, or an emergency override.',
  },
];

export const CHANNELS: Readonly<Record<NotificationRule['channel']['type'], string>> = {
  email: 'E-mail',
  slack: 'Slack, Mattermost, Rocket.Chat',
  teams: 'Microsoft Teams',
  ntfy: 'ntfy',
};

export const eventLabel = (event: NotificationDelivery['event']): string =>
  event === 'summary' ? 'What was left out' : (EVENTS.find(({ value }) => value === event)?.label ?? event);

/** Where the messages of a rule go, in a few words. */
export function channelInWords({ channel }: Pick<NotificationRule, 'channel'>): string {
  const { type, to, members, host, topic } = channel;
  if (type === 'ntfy') return `${topic ?? ''} on ${host ?? ''}`;
  if (type !== 'email') return host ?? '';
  const names = (to ?? []).map(
    (each) => members.find(({ id }) => id === each)?.name ?? (each.includes('@') ? each : null),
  );
  const known = names.filter((name) => name !== null);
  const gone = names.length - known.length;
  const shown = known.slice(0, 3).join(', ');
  const more = Math.max(0, known.length - 3) + gone;
  return more > 0 ? `${shown}${shown ? ' and ' : ''}${more} more` : shown;
}

/** Which channel a rule has; `set` is what of it is secret. */
export const lacksAddress = ({ channel: { type, set } }: Pick<NotificationRule, 'channel'>): boolean =>
  (type === 'slack' || type === 'teams') && !set;

export function deliveryStyle({ state, error }: Pick<NotificationDelivery, 'state' | 'error'>): StatusStyle {
  switch (state) {
    case 'sent':
      return error === null
        ? { tone: 'good', icon: IconCircleCheck, label: 'Sent' }
        : { tone: 'warn', icon: IconAlertTriangle, label: 'Sent in part' };
    case 'failed':
      return { tone: 'bad', icon: IconCircleX, label: 'Failed' };
    case 'sending':
      return { tone: 'active', icon: IconLoader2, label: 'Being sent' };
    case 'waiting':
      return error === null
        ? { tone: 'idle', icon: IconCircleDashed, label: 'Waiting' }
        : { tone: 'warn', icon: IconAlertTriangle, label: 'Tried again' };
    case 'skipped':
      return { tone: 'muted', icon: IconPlayerSkipForward, label: 'Not sent' };
    case 'summarised':
      return { tone: 'muted', icon: IconStack3, label: 'Counted only' };
  }
}
