import { ApiProperty } from '@nestjs/swagger';
import { sql } from '../common/database/sql.js';
import { CHANNEL_TYPES, type ChannelType } from './channels/channel-list.js';
import { SHOWN_FIELDS, ViewFields } from './channels/field-decorators.js';
import { NOTIFICATION_EVENT_NAMES, type NotificationEvent } from './messages/notification-events.js';
import { DELIVERY_STATUSES, type DeliveryEvent, type DeliveryStatus } from './records/delivery-rows.js';
import type { NotificationRule } from './records/notification-rule.entity.js';
import type { SendFaultCode } from './sending/send-result.js';
import { UserReference } from '../common/http/user-reference.view.js';
import { Reason } from '../common/http/reason.view.js';

const DELIVERY_EVENTS = [...NOTIFICATION_EVENT_NAMES, 'summary'] as const;

@ViewFields()
export class NotificationChannelView {
  /** Kind of the receiver; it decides which of the further fields apply. */
  @ApiProperty({ enum: CHANNEL_TYPES })
  type: ChannelType;
  /** Existing members among the recipients. */
  @ApiProperty({ type: [UserReference] })
  members: UserReference[];
  /** Host and port of the address; null for `email`. */
  @ApiProperty({ type: String, nullable: true, example: 'hooks.example.com' })
  host: string | null;
  /** True when the address of the webhook, or the token, is set. */
  set: boolean;
  [field: string]: unknown;
}

export class NotificationOwnerView extends UserReference {
  /** False = the owner was disabled. The rule reports nothing until another member saves it. */
  active: boolean;
}

export class NotificationDeliveryView {
  id: string;
  /** Event that the message reports; `summary` counts events beyond the rate limit. */
  @ApiProperty({ enum: DELIVERY_EVENTS })
  event: DeliveryEvent;
  /** Subject of the message. */
  subject: string;
  /** Null for messages without an environment, such as a summary or one about a webhook. */
  @ApiProperty({ type: String, nullable: true })
  environmentId: string | null;
  @ApiProperty({ type: String, nullable: true })
  executionId: string | null;
  /** Schedule of the message, which may be deleted; null = none, or several schedules. */
  @ApiProperty({ type: String, nullable: true })
  scheduleId: string | null;
  /** Webhook of the message, which may be deleted; null = none. */
  @ApiProperty({ type: String, nullable: true })
  webhookId: string | null;
  /**
   * `waiting`: will be sent or retried at `nextAttemptAt`. `sending`. `sent`: with a `reason`, some recipients did not get
   * it. `failed`: no further attempts. `skipped`: no longer relevant, see `reason`. `summarised`: counted
   * in a summary message.
   */
  @ApiProperty({ enum: DELIVERY_STATUSES })
  status: DeliveryStatus;
  attempts: number;
  /** Time of the next attempt; null = none. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  nextAttemptAt: string | null;
  /** What happened, and what to do; null = no error. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  createdAt: string;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  finishedAt: string | null;
}

export class NotificationRuleView {
  id: string;
  name: string;
  /** False = the rule reports nothing. */
  enabled: boolean;
  channel: NotificationChannelView;
  /** Events to report. A run with several of these events is reported once, with the most severe. */
  @ApiProperty({ enum: NOTIFICATION_EVENT_NAMES, isArray: true })
  events: NotificationEvent[];
  /** Environments that you can see; null = all that the owner can see. */
  @ApiProperty({ type: [String], nullable: true })
  environmentIds: string[] | null;
  /** Number of environments that are not listed, because you cannot see them or they were deleted. */
  hiddenEnvironments: number;
  /** Plans that you can see; null = all. */
  @ApiProperty({ type: [String], nullable: true })
  planIds: string[] | null;
  /** Number of plans that are not listed, because you cannot see them or they were deleted. */
  hiddenPlans: number;
  /** Member who last saved the rule: it reports what they can see. Null = the member was removed; nothing is sent. */
  @ApiProperty({ type: NotificationOwnerView, nullable: true })
  owner: NotificationOwnerView | null;
  /** Latest message that you can see; null = none in the last 30 days. */
  @ApiProperty({ type: NotificationDeliveryView, nullable: true })
  lastDelivery: NotificationDeliveryView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class NotificationRuleListView {
  items: NotificationRuleView[];
  nextCursor: string | null;
  /** True when this installation can send mail. */
  mailConfigured: boolean;
}

export class NotificationDeliveryListView {
  items: NotificationDeliveryView[];
  nextCursor: string | null;
}

export class NotificationTestView {
  /** True when all receivers accepted it. Filters behind them can still drop it. */
  sent: boolean;
  /** What happened, and what to do; null = no error. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Time from the connection to the response or the failure, in ms. */
  durationMs: number;
}

export interface DeliveryRow {
  id: string;
  rule_id: string;
  event: DeliveryEvent;
  subject: string;
  environment_id: string | null;
  execution_id: string | null;
  schedule_id: string | null;
  webhook_id: string | null;
  state: DeliveryStatus;
  attempts: number;
  due_at: Date | null;
  error_code: SendFaultCode | null;
  error: string | null;
  created_at: Date;
  ended_at: Date | null;
}

export const DELIVERY_COLUMNS = sql`d.id, d.rule_id, d.event, d.subject, d.environment_id, d.execution_id,
  d.about#>>'{schedule,id}' as schedule_id, d.about#>>'{webhook,id}' as webhook_id, d.state, d.attempts, d.due_at, d.error_code, d.error, d.created_at, d.ended_at`;

export const toDeliveryView = (row: DeliveryRow): NotificationDeliveryView => ({
  id: row.id,
  event: row.event,
  subject: row.subject,
  environmentId: row.environment_id,
  executionId: row.execution_id,
  scheduleId: row.schedule_id,
  webhookId: row.webhook_id,
  status: row.state,
  attempts: row.attempts,
  nextAttemptAt: row.due_at?.toISOString() ?? null,
  reason: row.error === null ? null : { code: row.error_code ?? 'outdated', text: row.error },
  createdAt: row.created_at.toISOString(),
  finishedAt: row.ended_at?.toISOString() ?? null,
});

export interface RuleContext {
  members: readonly UserReference[];
  hasSecret: boolean;
  ownerActive: boolean;
  visible: ReadonlySet<string>;
  lastDelivery: DeliveryRow | undefined;
}

export function toRuleView(rule: NotificationRule, around: RuleContext): NotificationRuleView {
  const { to, host = null } = rule.channel;
  const { visible } = around;
  const seen = (ids: string[] | null) => ids && ids.filter((id) => visible.has(id));
  const hidden = (ids: string[] | null) => ids?.filter((id) => !visible.has(id)).length ?? 0;
  return {
    id: rule.id,
    name: rule.name,
    enabled: rule.enabled,
    channel: {
      ...{ type: rule.channelType, host, set: around.hasSecret },
      ...Object.fromEntries(SHOWN_FIELDS.map((name) => [name, rule.channel[name] ?? null])),
      members: around.members.filter(({ id }) => to?.includes(id)).map(({ id, name }) => ({ id, name })),
    },
    events: rule.events,
    environmentIds: seen(rule.environmentIds),
    hiddenEnvironments: hidden(rule.environmentIds),
    planIds: seen(rule.planIds),
    hiddenPlans: hidden(rule.planIds),
    owner: rule.ownerId === null ? null : { id: rule.ownerId, name: rule.ownerName, active: around.ownerActive },
    lastDelivery: around.lastDelivery ? toDeliveryView(around.lastDelivery) : null,
    createdAt: rule.createdAt.toISOString(),
    updatedAt: rule.updatedAt.toISOString(),
    version: rule.version,
  };
}
