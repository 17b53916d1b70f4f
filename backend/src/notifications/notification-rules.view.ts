import { ApiProperty } from '@nestjs/swagger';
import { CHANNEL_TYPES, type ChannelType } from './messages/channel.js';
import { NOTIFICATION_EVENTS, type NotificationEvent } from './messages/notification-events.js';
import { DELIVERY_STATES, type DeliveryEvent, type DeliveryState } from './records/delivery-rows.js';
import type { NotificationRule } from './records/notification-rule.entity.js';
import { SEND_FAULTS, type SendFaultCode } from './sending/send-result.js';

const DELIVERY_EVENTS = [...NOTIFICATION_EVENTS, 'summary'] as const;

export class NotificationRecipientView {
  id: string;
  name: string;
}

export class NotificationChannelView {
  @ApiProperty({ enum: CHANNEL_TYPES })
  type: ChannelType;
  /** Of `email`: ids of members, and addresses; null: of another type. */
  @ApiProperty({ type: [String], nullable: true })
  to: string[] | null;
  /** The members among these who are still there. */
  @ApiProperty({ type: [NotificationRecipientView] })
  members: NotificationRecipientView[];
  /** Host and port of the address; null: of `email`. */
  @ApiProperty({ type: String, nullable: true, example: 'hooks.example.com' })
  host: string | null;
  /** Of `ntfy`: the server. The address of a webhook is a secret. */
  @ApiProperty({ type: String, nullable: true })
  url: string | null;
  /** Of `ntfy`. */
  @ApiProperty({ type: String, nullable: true })
  topic: string | null;
  /** Whether the address of the webhook, or the token, is set. */
  set: boolean;
}

export class NotificationOwnerView {
  /** Null: that member is gone. */
  @ApiProperty({ type: String, nullable: true })
  id: string | null;
  name: string;
  /** False: gone or disabled, and the rule tells of nothing before somebody else has saved it. */
  active: boolean;
}

export class NotificationDeliveryView {
  id: string;
  @ApiProperty({ enum: DELIVERY_EVENTS })
  event: DeliveryEvent;
  subject: string;
  /** Null: it is about no environment, as a summary or a webhook. */
  @ApiProperty({ type: String, nullable: true })
  environmentId: string | null;
  @ApiProperty({ type: String, nullable: true })
  executionId: string | null;
  /** The one schedule that it is about, which may be gone. Null for several that missed their times together, too. */
  @ApiProperty({ type: String, nullable: true })
  scheduleId: string | null;
  /** The webhook that it is about, which may be gone. */
  @ApiProperty({ type: String, nullable: true })
  webhookId: string | null;
  /**
   * `waiting`: to be sent, or sent again, at `dueAt`; `sending`; `sent`, if with an `error` then not to all; `failed`:
   * given up; `skipped`: there was nothing to tell any more, `error` says why; `summarised`: counted in a message of its own.
   */
  @ApiProperty({ enum: DELIVERY_STATES })
  state: DeliveryState;
  attempts: number;
  /** When it is tried next; null: it is over. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  dueAt: string | null;
  @ApiProperty({ enum: SEND_FAULTS, nullable: true })
  errorCode: SendFaultCode | null;
  /** What happened, and what to do. */
  @ApiProperty({ type: String, nullable: true })
  error: string | null;
  createdAt: string;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  endedAt: string | null;
}

export class NotificationRuleView {
  id: string;
  name: string;
  enabled: boolean;
  channel: NotificationChannelView;
  @ApiProperty({ enum: NOTIFICATION_EVENTS, isArray: true })
  events: NotificationEvent[];
  /** Null: all that the owner may see. Those that you may not see are left out. */
  @ApiProperty({ type: [String], nullable: true })
  environmentIds: string[] | null;
  /** How many are left out, gone ones included. */
  hiddenEnvironments: number;
  @ApiProperty({ type: [String], nullable: true })
  planIds: string[] | null;
  hiddenPlans: number;
  /** Who saved it last: it tells of what they may see. */
  owner: NotificationOwnerView;
  /** Its latest message that you may see; null: none in the last 30 days. */
  @ApiProperty({ type: NotificationDeliveryView, nullable: true })
  lastDelivery: NotificationDeliveryView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class NotificationRuleListView {
  items: NotificationRuleView[];
  nextCursor: string | null;
  /** Whether this installation sends mail at all. */
  mailConfigured: boolean;
}

export class NotificationDeliveryListView {
  items: NotificationDeliveryView[];
  nextCursor: string | null;
}

export class NotificationTestView {
  /** Whether it was taken by all of its receivers. It may still be filtered behind them. */
  sent: boolean;
  @ApiProperty({ enum: SEND_FAULTS, nullable: true })
  errorCode: SendFaultCode | null;
  /** What happened, and what to do. */
  @ApiProperty({ type: String, nullable: true })
  error: string | null;
  durationMs: number;
}

/** A row of `notification_deliveries` as it is shown. */
export interface DeliveryRow {
  id: string;
  rule_id: string;
  event: DeliveryEvent;
  subject: string;
  environment_id: string | null;
  execution_id: string | null;
  schedule_id: string | null;
  webhook_id: string | null;
  state: DeliveryState;
  attempts: number;
  due_at: Date | null;
  error_code: SendFaultCode | null;
  error: string | null;
  created_at: Date;
  ended_at: Date | null;
}

export const DELIVERY_COLUMNS = `d.id, d.rule_id, d.event, d.subject, d.environment_id, d.execution_id, d.about#>>'{schedule,id}' as schedule_id,
  d.about#>>'{webhook,id}' as webhook_id, d.state, d.attempts, d.due_at, d.error_code, d.error, d.created_at, d.ended_at`;

export const toDeliveryView = (row: DeliveryRow): NotificationDeliveryView => ({
  id: row.id,
  event: row.event,
  subject: row.subject,
  environmentId: row.environment_id,
  executionId: row.execution_id,
  scheduleId: row.schedule_id,
  webhookId: row.webhook_id,
  state: row.state,
  attempts: row.attempts,
  dueAt: row.due_at?.toISOString() ?? null,
  errorCode: row.error_code,
  error: row.error,
  createdAt: row.created_at.toISOString(),
  endedAt: row.ended_at?.toISOString() ?? null,
});

/** What is known beside the rule itself. */
export interface AroundRule {
  members: readonly NotificationRecipientView[];
  hasSecret: boolean;
  ownerActive: boolean;
  /** Ids of environments and plans that the caller sees. */
  visible: ReadonlySet<string>;
  lastDelivery: DeliveryRow | undefined;
}

export function toRuleView(rule: NotificationRule, around: AroundRule): NotificationRuleView {
  const { to = null, host = null, url = null, topic = null } = rule.channel;
  const { visible } = around;
  const seen = (ids: string[] | null) => ids && ids.filter((id) => visible.has(id));
  const hidden = (ids: string[] | null) => ids?.filter((id) => !visible.has(id)).length ?? 0;
  return {
    id: rule.id,
    name: rule.name,
    enabled: rule.enabled,
    channel: {
      ...{ type: rule.channelType, to, host, url, topic, set: around.hasSecret },
      members: around.members.filter(({ id }) => to?.includes(id)).map(({ id, name }) => ({ id, name })),
    },
    events: rule.events,
    environmentIds: seen(rule.environmentIds),
    hiddenEnvironments: hidden(rule.environmentIds),
    planIds: seen(rule.planIds),
    hiddenPlans: hidden(rule.planIds),
    owner: { id: rule.ownerId, name: rule.ownerName, active: around.ownerActive },
    lastDelivery: around.lastDelivery ? toDeliveryView(around.lastDelivery) : null,
    createdAt: rule.createdAt.toISOString(),
    updatedAt: rule.updatedAt.toISOString(),
    version: rule.version,
  };
}
