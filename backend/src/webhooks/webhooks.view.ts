import { ApiProperty } from '@nestjs/swagger';
import { EVENT_TYPES } from '../outbox/event-types.js';
import type { Webhook } from './records/webhook.entity.js';
import { DISABLED_TEXTS } from './records/webhook-switch.js';
import { UserReference } from '../common/http/user-reference.view.js';
import { Reason } from '../common/http/reason.view.js';

export class WebhookEnvironmentView {
  id: string;
  /** Null = the environment was deleted, or the owner cannot see it any more. Its events are not sent. */
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
}

export class WebhookOwnerView extends UserReference {
  /** True when the owner is an active member with the role operator or admin. Otherwise nothing is sent. */
  maySend: boolean;
}

export class WebhookDisabledView {
  /** Time at which it was disabled, in UTC. */
  at: string;
  /** Codes: `person`: a member disabled it; `gone`: its address answered 410; `failing`: all deliveries of a week failed. */
  reason: Reason;
}

export class WebhookFailureView {
  /** Time of the attempt, in UTC. */
  at: string;
  /** HTTP status of the response; null = no response. */
  @ApiProperty({ type: Number, nullable: true })
  httpStatus: number | null;
  /** Cause of the failure, as a code and a text. */
  reason: Reason;
}

export class WebhookView {
  id: string;
  /** @example "Deploy board" */
  name: string;
  /**
   * Address that receives the messages. Redirects are not followed.
   * @example "https://hooks.example.com/runward"
   */
  url: string;
  /** Types of the events to send. */
  @ApiProperty({ enum: EVENT_TYPES, isArray: true })
  events: string[];
  /** Null = all environments that its owner can see. */
  @ApiProperty({ type: [String], nullable: true })
  environmentIds: string[] | null;
  /** Names of the environments in `environmentIds`. */
  @ApiProperty({ type: [WebhookEnvironmentView] })
  environments: WebhookEnvironmentView[];
  /** False = nothing is stored or sent for it. */
  enabled: boolean;
  /** Reason why it is disabled; null = it is enabled. */
  @ApiProperty({ type: WebhookDisabledView, nullable: true })
  disabled: WebhookDisabledView | null;
  /** Member whose rights decide which events are sent. */
  owner: WebhookOwnerView;
  /** Time until which the previous secret signs too; null = only one secret signs. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  oldSecretUntil: string | null;
  /** Time since when every call has failed; null = the latest call succeeded, or there was none. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  failingSince: string | null;
  /** Time of the last message that the receiver accepted, in UTC; null = none. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  lastDeliveredAt: string | null;
  /** Last failed attempt; null = none. */
  @ApiProperty({ type: WebhookFailureView, nullable: true })
  lastFailure: WebhookFailureView | null;
  /** Number of waiting deliveries, counted up to 1,000. */
  pending: number;
  /** Number of dead deliveries, counted up to 1,000. */
  dead: number;
  /** Number of events that were dropped because 20,000 were waiting, and the time of the last one. */
  dropped: number;
  /** Time of the last dropped event, in UTC; null = none was dropped. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  droppedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** Webhook with a new secret, which is shown only in this answer. */
export class WebhookWithSecretView extends WebhookView {
  /**
   * Secret that signs messages from now on. Absent when none was created: the address did not change, or the answer
   * is repeated for its `Idempotency-Key`.
   */
  @ApiProperty({ type: String, required: false, example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' })
  secret?: string;
}

export class WebhookListView {
  items: WebhookView[];
  nextCursor: string | null;
}

/** Data for the view of a webhook that is not in its row. */
export interface WebhookContext {
  pending: number;
  dead: number;
  ownerMaySend: boolean;
  /** Names of the environments that exist and that the caller can see. */
  names: ReadonlyMap<string, string>;
}

const at = (time: Date | null) => time?.toISOString() ?? null;

export function toWebhookView(webhook: Webhook, { pending, dead, ownerMaySend, names }: WebhookContext): WebhookView {
  const { enabled, disabledCode: code, environmentIds, failedAt, oldSecretUntil } = webhook;
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    events: webhook.events,
    environmentIds,
    environments: (environmentIds ?? []).map((id) => ({ id, name: names.get(id) ?? null })),
    enabled,
    disabled:
      enabled || !code
        ? null
        : { at: at(webhook.disabledAt ?? webhook.updatedAt)!, reason: { code, text: DISABLED_TEXTS[code] } },
    owner: { id: webhook.ownerId, name: webhook.ownerName, maySend: ownerMaySend },
    oldSecretUntil: oldSecretUntil && oldSecretUntil > new Date() ? at(oldSecretUntil) : null,
    failingSince: at(webhook.failingSince),
    lastDeliveredAt: at(webhook.deliveredAt),
    lastFailure: failedAt && {
      at: failedAt.toISOString(),
      httpStatus: webhook.failedStatus,
      reason: { code: webhook.failedCode ?? 'failed', text: webhook.failedMessage ?? '' },
    },
    pending,
    dead,
    dropped: Number(webhook.dropped),
    droppedAt: at(webhook.droppedAt),
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
    version: webhook.version,
  };
}
