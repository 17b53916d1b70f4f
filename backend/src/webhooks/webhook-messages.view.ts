import type { Type } from '@nestjs/common';
import { ApiProperty, ApiSchema, OmitType } from '@nestjs/swagger';
import { Reason } from '../common/http/reason.view.js';
import { UserReference } from '../common/http/user-reference.view.js';
import { ProtectionChangeView } from '../environments/protection/protection-changes.view.js';
import { LABEL_MAP_SCHEMA } from '../executions/contract/run-labels.js';
import { EXECUTION_MODES, EXECUTION_STATUSES } from '../executions/lifecycle/statuses.js';
import type { DepartedServersEvent, EventPayloads, ProtectionChangedEvent } from '../outbox/event-types.js';
import type { RunFacts } from '../outbox/outbox-event.js';

class MessageRunView implements RunFacts {
  id: string;
  planId: string;
  planName: string;
  planRevision: number;
  environmentId: string;
  environmentName: string;
  /** Status of the run after the event. */
  @ApiProperty({ enum: EXECUTION_STATUSES })
  status: string;
  @ApiProperty({ enum: EXECUTION_MODES })
  execution_mode: string;
  startedBy: UserReference;
  /** Labels of the start, by key. */
  @ApiProperty(LABEL_MAP_SCHEMA)
  labels: Record<string, string>;
  /** Page of the run in the dashboard. */
  webUrl: string;
}

@ApiSchema({ description: 'Fields of each message about a run, besides those of the event.' })
export class RunEventView {
  /** Run of the event, with its values at that time. */
  run: MessageRunView;
  /** Number of hosts of a `decision.made` with too many hosts for `serverIds`, which is then absent. */
  serverCount?: number;
}

/** Record of an event. It may be deleted. */
class MessageRecordView {
  id: string;
  name: string;
}

@ApiSchema({ description: 'Data of `schedule.failed`' })
class ScheduleFailedView {
  /** Schedule that started no run. */
  schedule: MessageRecordView;
  planId: string;
  planName: string;
  environmentId: string;
  environmentName: string;
  /** Owner of the schedule; null = the member was removed. */
  @ApiProperty({ type: UserReference, nullable: true })
  owner: UserReference | null;
  /** Scheduled time, in UTC. */
  at: string;
  /** `refused`, or `missed`: no worker was available. */
  outcome: string;
  /** Reason, as in `lastFire` of the schedule. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** True = Runward paused the schedule. */
  paused: boolean;
  /** Page of the schedule in the dashboard. */
  webUrl: string;
}

@ApiSchema({ description: 'Data of `webhook.disabled`' })
class WebhookStoppedView {
  /** Disabled webhook. */
  webhook: MessageRecordView;
  /** Owner of the webhook. */
  owner: UserReference;
  /** Why Runward disabled it. */
  reason: Reason;
  /** Page of the webhook in the dashboard. */
  webUrl: string;
}

class ProtectionEventView {
  /** Environment whose protection the event concerns. */
  environment: MessageRecordView;
  /** Member who caused the event. */
  by: UserReference;
  /** Page of the environment's protection in the dashboard. */
  webUrl: string;
}

const CHANGE_EVENTS = [
  'requested',
  'agreed',
  'rejected',
  'overridden',
] as const satisfies ProtectionChangedEvent['what'][];
const DEPARTURE_EVENTS = [
  'servers_left',
  'server_released',
  'server_release_overridden',
  'server_kept',
] as const satisfies DepartedServersEvent['what'][];

class SentProtectionChangeView extends OmitType(ProtectionChangeView, [
  'currentUserCanAgree',
  'currentUserObstacle',
] as const) {}

@ApiSchema({ description: 'Data of `environment.protection_changed` about a change of settings' })
class ProtectionChangedView extends ProtectionEventView {
  /** Step of the change. `overridden`: an admin made it alone. */
  @ApiProperty({ enum: CHANGE_EVENTS })
  what: (typeof CHANGE_EVENTS)[number];
  /** Change after the event. */
  change: SentProtectionChangeView;
}

class DepartedServersFacts {
  /** Number of servers. */
  count: number;
  /** Names of the first servers. */
  names: string[];
  /** End of the protection of their addresses and host keys, in UTC; null = until a second approver releases them. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  countsUntil: string | null;
}

@ApiSchema({ description: 'Data of `environment.protection_changed` about servers that left the environment' })
class ServersDepartedView extends ProtectionEventView {
  /** `server_release_overridden`: an admin ended the protection alone. */
  @ApiProperty({ enum: DEPARTURE_EVENTS })
  what: (typeof DEPARTURE_EVENTS)[number];
  /** Servers that left, or whose protection ended or was prolonged. */
  departed: DepartedServersFacts;
}

@ApiSchema({ description: 'Data of `webhook.test`' })
class WebhookTestView {
  /** Tested webhook. */
  webhook: MessageRecordView;
  /** Member who requested the test. */
  sentBy: UserReference;
  message: string;
}

/** Data of messages outside runs, by event type. Several classes differ in `what`. */
export const DATA_BY_TYPE: Readonly<Record<keyof EventPayloads | 'webhook.test', readonly Type<unknown>[]>> = {
  'schedule.failed': [ScheduleFailedView],
  'webhook.disabled': [WebhookStoppedView],
  'environment.protection_changed': [ProtectionChangedView, ServersDepartedView],
  'webhook.test': [WebhookTestView],
};
