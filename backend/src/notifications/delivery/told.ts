import type { OutboxEvent, RunFacts } from '../../outbox/outbox-event.js';
import type { NotificationEvent } from '../messages/notification-events.js';
import { oneLine } from '../messages/plain-text.js';
import { meaningsOf } from './told-events.js';

/** A message that a rule sends of an event. */
export interface Wanted {
  ruleId: string;
  told: Told;
  event: NotificationEvent;
  /** When it is sent. */
  inSeconds: number;
}

/** An event that means something to people. */
export interface Told {
  /** Null: it is about no run. */
  run: RunFacts | null;
  /** Null: it is about the whole tenant. */
  environmentId: string | null;
  planId: string | null;
  /** What it is about, in a line. */
  name: string;
  /** What of it is told once. */
  cause: string;
  /** The gravest first. */
  meanings: readonly NotificationEvent[];
  /** What is told of it, where it is about no run. */
  about: object | null;
}

/** Null: it means nothing to people. */
export function toldBy(event: OutboxEvent): Told | null {
  const { id, type, data, environmentId, planId } = event;
  // Who stores such an event does so once for what it tells of.
  const cause = `${type} ${id}`;
  switch (type) {
    case 'schedule.failed': {
      const { schedule, environmentName } = data as unknown as ScheduleFailed;
      const name = `The schedule ${oneLine(schedule.name, 100)} in ${oneLine(environmentName, 100)}`;
      return { run: null, environmentId, planId, name, cause, meanings: ['schedule_failed'], about: data };
    }
    case 'webhook.disabled': {
      const name = `The webhook ${oneLine((data as unknown as WebhookDisabled).webhook.name, 100)}`;
      return { run: null, environmentId, planId, name, cause, meanings: ['webhook_disabled'], about: data };
    }
    case 'environment.protection': {
      const name = `The environment ${oneLine((data as unknown as ProtectionChanged).environment.name, 100)}`;
      return { run: null, environmentId, planId, name, cause, meanings: ['protection_changed'], about: data };
    }
    default:
      return toldByRun(event);
  }
}

function toldByRun({ id, type, data: { run }, executionId }: OutboxEvent): Told | null {
  if (!run || executionId === null) return null;
  const meanings = meaningsOf({ type, status: run.status, executionMode: run.execution_mode });
  if (meanings.length === 0) return null;
  const { environmentId, planId } = run;
  const name = `${oneLine(run.planName, 100)} in ${oneLine(run.environmentName, 100)}`;
  // A run ends once; each of its pauses has an event of its own.
  const cause = type === 'execution.finished' ? `end of ${executionId}` : `pause ${id}`;
  return { run, environmentId, planId, name, cause, meanings, about: null };
}

/** What the event of a schedule tells. */
export interface ScheduleFailed {
  schedule: { name: string };
  planName: string;
  environmentId: string;
  environmentName: string;
  ownerName: string;
  at: string;
  outcome: 'refused' | 'missed';
  reason: { text: string };
  paused: boolean;
  webUrl: string;
}

/** Null: it is of something else. */
export const scheduleFailedIn = (about: object | null): ScheduleFailed | null =>
  about && 'schedule' in about ? (about as ScheduleFailed) : null;

/** What the event of a webhook tells. */
export interface WebhookDisabled {
  webhook: { name: string };
  ownerName: string;
  reason: { text: string };
  webUrl: string;
}

/** Data of an event about servers that left a protected environment, or of a decision about one. */
export interface ServersLeft {
  what: 'servers_left' | 'server_released' | 'server_release_overridden' | 'server_kept';
  environment: { name: string };
  /** Who did it. */
  by: string;
  departed: {
    count: number;
    /** The first of them. */
    names: readonly string[];
    countsUntil: string | null;
  };
  webUrl: string;
}

/** Null: it is of a change of its settings. */
export const serversLeftIn = (about: object): ServersLeft | null =>
  'departed' in about ? (about as ServersLeft) : null;

/** What the event of a change that weakens the protection of an environment tells. */
export interface ProtectionChanged {
  what: 'requested' | 'agreed' | 'rejected' | 'overridden';
  environment: { name: string };
  /** Who did it. */
  by: string;
  change: {
    settings: readonly { setting: string; from: boolean | number | string; to: boolean | number | string }[];
    reason: string;
    requestedBy: { name: string };
    effectiveAt: string | null;
  };
  webUrl: string;
}
