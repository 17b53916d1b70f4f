/**
 * Events that a rule can report. A new event also needs an entry in `NOTIFICATION_EVENT_WORDS` and a case in
 * `message.ts`.
 */
export const NOTIFICATION_EVENTS = [
  'approval_requested',
  'decision_requested',
  'failed',
  'partially_succeeded',
  'recovered',
  'unknown_results',
  'rejected_or_expired',
  'schedule_failed',
  'webhook_disabled',
  'protection_changed',
] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

export const NOTIFICATION_EVENT_WORDS: Readonly<Record<NotificationEvent, string>> = {
  approval_requested: 'waits for approval',
  decision_requested: 'waits for a decision',
  failed: 'failed',
  partially_succeeded: 'succeeded on some hosts only',
  recovered: 'succeeds again',
  unknown_results: 'has unknown results',
  rejected_or_expired: 'was rejected or expired',
  schedule_failed: 'started no run',
  webhook_disabled: 'was disabled',
  protection_changed: 'has a protection change',
};

export const subjectOf = (event: NotificationEvent): string => EVENT_SUBJECTS[event] ?? 'A run';

const EVENT_SUBJECTS: Partial<Record<NotificationEvent, string>> = {
  schedule_failed: 'A schedule',
  webhook_disabled: 'A webhook',
  protection_changed: 'An environment',
};

export const isNotificationEvent = (text: string): text is NotificationEvent =>
  (NOTIFICATION_EVENTS as readonly string[]).includes(text);
