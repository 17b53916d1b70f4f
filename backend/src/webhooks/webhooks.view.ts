import { ApiProperty } from '@nestjs/swagger';
import { WEBHOOK_EVENTS } from './records/event-types.js';
import { DISABLED_CODES, type DisabledCode, type Webhook } from './records/webhook.entity.js';
import { DISABLED_TEXTS } from './records/webhook-switch.js';

export class WebhookEnvironmentView {
  id: string;
  /** Null: it was deleted, or the owner does not see it any more. Nothing is told of it. */
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
}

export class WebhookOwnerView {
  id: string;
  name: string;
  /** Whether anything is sent: the owner has to be an active member with the role operator or admin. */
  maySend: boolean;
}

export class WebhookDisabledView {
  /** `person`: somebody said so; `gone`: its address answered 410; `failing`: nothing got through for a week. */
  @ApiProperty({ enum: DISABLED_CODES })
  code: DisabledCode;
  text: string;
  at: string;
}

export class WebhookFailureView {
  at: string;
  /** Status of the answer; null: there was none. */
  @ApiProperty({ type: Number, nullable: true })
  status: number | null;
  code: string;
  message: string;
}

export class WebhookView {
  id: string;
  /** @example "Deploy board" */
  name: string;
  /** @example "https://hooks.example.com/runward" */
  url: string;
  @ApiProperty({ enum: WEBHOOK_EVENTS, isArray: true })
  events: string[];
  /** Null: all that its owner sees. */
  @ApiProperty({ type: [String], nullable: true })
  environmentIds: string[] | null;
  /** Names to `environmentIds`. */
  @ApiProperty({ type: [WebhookEnvironmentView] })
  environments: WebhookEnvironmentView[];
  enabled: boolean;
  /** Why it is not enabled; null: it is. */
  @ApiProperty({ type: WebhookDisabledView, nullable: true })
  disabled: WebhookDisabledView | null;
  /** With whose rights it is told. */
  owner: WebhookOwnerView;
  /** Until when the secret before signs too; null: one secret signs. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  oldSecretUntil: string | null;
  /** Nothing got through since then; null: the latest call did, or there was none. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  failingSince: string | null;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  lastDeliveredAt: string | null;
  @ApiProperty({ type: WebhookFailureView, nullable: true })
  lastFailure: WebhookFailureView | null;
  /** Deliveries that wait, counted up to 1000. */
  pending: number;
  /** Dead ones, counted up to 1000. */
  dead: number;
  /** Events that were not kept for it, because 20,000 waited already, and when that was last. */
  dropped: number;
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  droppedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** The answer that may make a secret: the only time that it is shown. */
export class WebhookWithSecretView extends WebhookView {
  /**
   * What messages are signed with from now on. Absent where none was made: a change that keeps the address, and an answer
   * that is repeated for its `Idempotency-Key`.
   */
  @ApiProperty({ type: String, required: false, example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' })
  secret?: string;
}

export class WebhookListView {
  items: WebhookView[];
  nextCursor: string | null;
}

/** What stands beside the row of a webhook. */
export interface WebhookContext {
  pending: number;
  dead: number;
  ownerMaySend: boolean;
  /** Names of environments that are there and that the caller sees. */
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
      enabled || !code ? null : { code, text: DISABLED_TEXTS[code], at: at(webhook.disabledAt ?? webhook.updatedAt)! },
    owner: { id: webhook.ownerId, name: webhook.ownerName, maySend: ownerMaySend },
    oldSecretUntil: oldSecretUntil && oldSecretUntil > new Date() ? at(oldSecretUntil) : null,
    failingSince: at(webhook.failingSince),
    lastDeliveredAt: at(webhook.deliveredAt),
    lastFailure: failedAt && {
      at: failedAt.toISOString(),
      status: webhook.failedStatus,
      code: webhook.failedCode ?? '',
      message: webhook.failedMessage ?? '',
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
