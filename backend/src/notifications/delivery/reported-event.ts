import type {
  DepartedServersEvent,
  ProtectionChangedEvent,
  ScheduleFailedEvent,
  WebhookDisabledEvent,
} from '../../outbox/event-types.js';
import type { OutboxEvent, RunFacts } from '../../outbox/outbox-event.js';
import type { NotificationEvent } from '../messages/notification-events.js';
import { toOneLine } from '../messages/plain-text.js';
import { toNotificationEvents } from './event-meanings.js';

export interface PlannedMessage {
  ruleId: string;
  told: ReportedEvent;
  event: NotificationEvent;
  inSeconds: number;
}

export interface ReportedEvent {
  /** Null: the event is not about a run. */
  run: RunFacts | null;
  /** Null: the event is about the whole tenant. */
  environmentId: string | null;
  planId: string | null;
  name: string;
  /** Each rule reports a cause only once. */
  cause: string;
  /** Most severe first. */
  meanings: readonly NotificationEvent[];
  /** Stored data of an event without a run. */
  about: object | null;
}

/** @returns null when people need not know about the event */
export function toReportedEvent(event: OutboxEvent): ReportedEvent | null {
  const { id, type, data, environmentId, planId } = event;
  // The publisher stores this type of event only once per cause.
  const cause = `${type} ${id}`;
  switch (type) {
    case 'schedule.failed': {
      const { schedule, environmentName } = data as unknown as ScheduleFailedEvent;
      const name = `The schedule ${toOneLine(schedule.name, 100)} in ${toOneLine(environmentName, 100)}`;
      return { run: null, environmentId, planId, name, cause, meanings: ['schedule.failed'], about: data };
    }
    case 'webhook.disabled': {
      const name = `The webhook ${toOneLine((data as unknown as WebhookDisabledEvent).webhook.name, 100)}`;
      return { run: null, environmentId, planId, name, cause, meanings: ['webhook.disabled'], about: data };
    }
    case 'environment.protection_changed': {
      const name = `The environment ${toOneLine((data as unknown as ProtectionChangedEvent).environment.name, 100)}`;
      return {
        run: null,
        environmentId,
        planId,
        name,
        cause,
        meanings: ['environment.protection_changed'],
        about: data,
      };
    }
    default:
      return toReportedRunEvent(event);
  }
}

function toReportedRunEvent({ id, type, data: { run }, executionId }: OutboxEvent): ReportedEvent | null {
  if (!run || executionId === null) return null;
  const meanings = toNotificationEvents({ type, status: run.status, executionMode: run.execution_mode });
  if (meanings.length === 0) return null;
  const { environmentId, planId } = run;
  const name = `${toOneLine(run.planName, 100)} in ${toOneLine(run.environmentName, 100)}`;
  // A run ends once; each of its pauses has a separate event.
  const cause = type === 'execution.finished' ? `end of ${executionId}` : `pause ${id}`;
  return { run, environmentId, planId, name, cause, meanings, about: null };
}

export const toScheduleFailed = (about: object | null): ScheduleFailedEvent | null =>
  about && 'schedule' in about ? (about as ScheduleFailedEvent) : null;

/** @returns null when the event is about a change of the environment's protection settings */
export const toServersLeft = (about: object): DepartedServersEvent | null =>
  'departed' in about ? (about as DepartedServersEvent) : null;
