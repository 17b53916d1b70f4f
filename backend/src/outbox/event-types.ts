import type { UserReference } from '../common/http/user-reference.view.js';

/** Events of the stream of a run, with the cause of each. */
export const RUN_EVENTS = {
  'execution.status_changed': 'A run was accepted, began, waits, continues, ended, or changed its mode',
  'step.started': 'A step began',
  'step.finished': 'A step ended',
  'host.started': 'A step began on a host',
  'host.finished': 'A step ended on a host',
  'output.appended': 'A host sent output; only in the stream of the run',
  'approval.requested': 'A run waits for approval',
  'approval.decided': 'An approval was given, rejected or withdrawn',
  'decision.requested': 'A run that has begun waits for a decision',
  'decision.made': 'A person answered',
  'host.resolved': 'A person resolved an unknown result',
  'host.retrying': 'A step failed on a host, and another attempt follows',
  'host.reconnecting': 'Runward reconnects to a host',
  'execution.finished': 'A run ended, with any status',
} as const;
export type RunEventType = keyof typeof RUN_EVENTS;

/** Events outside runs, with the cause of each. */
const OTHER_EVENTS = {
  'schedule.failed': 'A schedule started no run. Each reason is sent once until a run starts',
  'webhook.disabled': 'Runward disabled a webhook. Sent to admins and its owner',
  'environment.protection_changed':
    'A change [weakens the protection](protection.md), or [servers left](protection.md#servers-that-leave)',
} as const satisfies Record<keyof EventPayloads, string>;

const { 'output.appended': _, ...SENT_RUN_EVENTS } = RUN_EVENTS;
/** Events to which webhooks and notification rules can subscribe. `docs/webhooks.md` describes their data. */
export const EVENTS = { ...SENT_RUN_EVENTS, ...OTHER_EVENTS };
export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** Data of the events outside runs. */
export interface EventPayloads {
  'schedule.failed': ScheduleFailedEvent;
  'webhook.disabled': WebhookDisabledEvent;
  'environment.protection_changed': ProtectionChangedEvent | DepartedServersEvent;
}

export interface ScheduleFailedEvent {
  schedule: { id: string; name: string };
  planId: string;
  planName: string;
  environmentId: string;
  environmentName: string;
  /** Null = the member was removed. */
  owner: UserReference | null;
  /** Scheduled time. */
  at: string;
  /** `refused` or `missed`. */
  outcome: string;
  reason: { code: string; text: string } | null;
  paused: boolean;
  webUrl: string;
}

export interface WebhookDisabledEvent {
  webhook: { id: string; name: string };
  owner: UserReference;
  reason: { code: string; text: string };
  webUrl: string;
}

export interface DepartedServersEvent {
  what: 'servers_left' | 'server_released' | 'server_release_overridden' | 'server_kept';
  environment: { id: string; name: string };
  by: UserReference;
  departed: { count: number; names: readonly string[]; countsUntil: string | null };
  webUrl: string;
}

export interface ProtectionChangedEvent {
  what: 'requested' | 'agreed' | 'rejected' | 'overridden';
  environment: { id: string; name: string };
  by: UserReference;
  change: {
    settings: readonly { setting: string; from: boolean | number | string; to: boolean | number | string }[];
    reason: string;
    requestedBy: UserReference;
    effectiveAt: string | null;
  };
  webUrl: string;
}
