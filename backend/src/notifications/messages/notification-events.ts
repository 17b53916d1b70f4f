import type { EventType } from '../../outbox/event-types.js';

interface NotificationEventKind {
  /** Stored event that can have this meaning. */
  type: EventType;
  subject: string;
  /** What happened to the subject. */
  words: string;
}

/** Events that a rule can report. A new event also needs a case in `message.ts`. */
export const NOTIFICATION_EVENTS = {
  'approval.requested': { type: 'approval.requested', subject: 'A run', words: 'waits for approval' },
  'decision.requested': { type: 'decision.requested', subject: 'A run', words: 'waits for a decision' },
  'execution.failed': { type: 'execution.finished', subject: 'A run', words: 'failed' },
  'execution.partially_succeeded': {
    type: 'execution.finished',
    subject: 'A run',
    words: 'succeeded on some hosts only',
  },
  'execution.recovered': { type: 'execution.finished', subject: 'A run', words: 'succeeds again' },
  'execution.results_unknown': { type: 'execution.finished', subject: 'A run', words: 'has unknown results' },
  'execution.rejected_or_expired': { type: 'execution.finished', subject: 'A run', words: 'was rejected or expired' },
  'schedule.failed': { type: 'schedule.failed', subject: 'A schedule', words: 'started no run' },
  'webhook.disabled': { type: 'webhook.disabled', subject: 'A webhook', words: 'was disabled' },
  'environment.protection_changed': {
    type: 'environment.protection_changed',
    subject: 'An environment',
    words: 'has a protection change',
  },
} as const satisfies Record<string, NotificationEventKind>;

export type NotificationEvent = keyof typeof NOTIFICATION_EVENTS;
export const NOTIFICATION_EVENT_NAMES = Object.keys(NOTIFICATION_EVENTS) as NotificationEvent[];

export const isNotificationEvent = (text: string): text is NotificationEvent =>
  Object.hasOwn(NOTIFICATION_EVENTS, text);
