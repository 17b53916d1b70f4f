import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconLoader2,
  IconPlayerSkipForward,
  IconStack3,
} from '@tabler/icons-react';
import type { NotificationDelivery, NotificationEvent } from '../../api/types';
import type { StatusStyle } from '../../ui/status/statuses';

/** In display order. */
const EVENT_TEXTS: Record<NotificationEvent, { label: string; hint: string }> = {
  'approval.requested': { label: 'Run waits for approval', hint: 'Includes possible approvers and the expiry time.' },
  'decision.requested': { label: 'Run waits for a decision', hint: 'At a gate, before a step, or after a failure.' },
  'execution.failed': { label: 'Run failed', hint: 'Failed, timed out or interrupted.' },
  'execution.partially_succeeded': {
    label: 'Run partly succeeded',
    hint: 'Some hosts failed, within the limits of the plan.',
  },
  'execution.recovered': { label: 'Plan recovered', hint: 'First success in an environment after a failure.' },
  'execution.results_unknown': { label: 'Unknown results', hint: 'A member must resolve the results of hosts.' },
  'execution.rejected_or_expired': { label: 'Run rejected or expired', hint: 'The run has ended.' },
  'schedule.failed': {
    label: 'Schedule started no run',
    hint: 'Start refused, schedule paused by Runward, or owner no longer active. Sent once per reason.',
  },
  'webhook.disabled': {
    label: 'Webhook disabled',
    hint: 'Disabled by Runward after failed deliveries. Only for admins and rules for all environments and plans.',
  },
  'environment.protection_changed': {
    label: 'Protection of an environment weakened',
    hint: 'Change requested, agreed, rejected, or emergency override.',
  },
};

export const EVENTS = (Object.keys(EVENT_TEXTS) as NotificationEvent[]).map((value) => ({
  value,
  ...EVENT_TEXTS[value],
}));

export const eventLabel = (event: NotificationDelivery['event']): string =>
  event === 'summary' ? 'Summary of omitted messages' : EVENT_TEXTS[event].label;

export function deliveryStyle({ status, reason }: Pick<NotificationDelivery, 'status' | 'reason'>): StatusStyle {
  switch (status) {
    case 'sent':
      return reason === null
        ? { tone: 'good', icon: IconCircleCheck, label: 'Sent' }
        : { tone: 'warn', icon: IconAlertTriangle, label: 'Partly sent' };
    case 'failed':
      return { tone: 'bad', icon: IconCircleX, label: 'Failed' };
    case 'sending':
      return { tone: 'active', icon: IconLoader2, label: 'Sending' };
    case 'waiting':
      return reason === null
        ? { tone: 'idle', icon: IconCircleDashed, label: 'Waiting' }
        : { tone: 'warn', icon: IconAlertTriangle, label: 'Retrying' };
    case 'skipped':
      return { tone: 'muted', icon: IconPlayerSkipForward, label: 'Not sent' };
    case 'summarised':
      return { tone: 'muted', icon: IconStack3, label: 'Counted only' };
  }
}
