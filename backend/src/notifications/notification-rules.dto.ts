import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsString, Matches, MaxLength } from 'class-validator';
import {
  PartialUpdateOf,
  IsOptionalField,
  IsNullableField,
  NestedObject,
  IsOneOf,
  RequiredTextLine,
  OptionalBoolean,
} from '../common/http/fields.js';
import { SortBy } from '../common/http/paging/filters.js';
import { NamedListQuery, PageQuery } from '../common/http/paging/page.dto.js';
import { CHANNEL_TYPES, type ChannelType } from './messages/channel.js';
import { NOTIFICATION_EVENTS, type NotificationEvent } from './messages/notification-events.js';

/** Maximum number of recipients of a rule. */
export const MAX_RECIPIENTS = 50;
/** Maximum number of environments, or plans, of a rule. */
const MAX_RULE_RECORDS = 100;

const EVENTS_ADVICE = {
  message: `events must be a list of at least one of ${NOTIFICATION_EVENTS.join(', ')}, each once`,
};
const TO_ADVICE = { message: `to must be a list of at most ${MAX_RECIPIENTS} ids of members or e-mail addresses` };
const TOPIC_ADVICE = { message: 'topic must have 1 to 64 letters, digits, - or _' };
const TOKEN_ADVICE = { message: 'token must have 1 to 500 visible characters' };

/** IDs of records, at least one; null = all. */
const SomeIds = (what: string) =>
  applyDecorators(
    ApiProperty({ type: [String], nullable: true, required: false, maxItems: MAX_RULE_RECORDS }),
    MaxLength(64, { each: true, message: `$property must be a list of ids of ${what}s` }),
    IsString({ each: true, message: `$property must be a list of ids of ${what}s` }),
    ArrayUnique({ message: `$property must contain each ${what} only once` }),
    ArrayMinSize(1, { message: `$property must contain at least one; null = all ${what}s` }),
    ArrayMaxSize(MAX_RULE_RECORDS, { message: `$property can contain at most ${MAX_RULE_RECORDS} ${what}s` }),
    IsArray({ message: `$property must be a list of ids of ${what}s` }),
    IsNullableField(),
  );

/** Channel of a notification rule. `rule-channel.ts` validates which fields belong to which type. */
export class NotificationChannelRequest {
  @IsOneOf(CHANNEL_TYPES)
  type: ChannelType;

  /** For `email`: member IDs, who get it while they can see the environment, and email addresses. */
  @ApiProperty({ type: [String], required: false, maxItems: MAX_RECIPIENTS, example: ['ops@example.org'] })
  @MaxLength(254, { each: true, ...TO_ADVICE })
  @IsString({ each: true, ...TO_ADVICE })
  @ArrayMinSize(1, { message: 'to must contain at least one recipient' })
  @ArrayMaxSize(MAX_RECIPIENTS, TO_ADVICE)
  @IsArray(TO_ADVICE)
  @IsOptionalField()
  to?: string[];

  /**
   * For `slack` and `teams`: address of the incoming webhook, which is never shown again; omit it in a change to keep
   * it. For `ntfy`: address of the server.
   * @example "https://hooks.example.com/services/T0/B0/secret"
   */
  @IsOptionalField()
  @RequiredTextLine(2000)
  url?: string;

  /**
   * For `ntfy`: topic that its users subscribe to.
   * @example "runward-production"
   */
  @IsOptionalField()
  @Matches(/^[-_A-Za-z0-9]{1,64}$/, TOPIC_ADVICE)
  topic?: string;

  /** For `ntfy`: access token, which is never shown again. Null = none; omit it in a change to keep it. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'tk_a-token-that-may-publish' })
  @IsNullableField()
  @Matches(/^[\x21-\x7e]{1,500}$/, TOKEN_ADVICE)
  token?: string | null;
}

export class CreateNotificationRuleRequest {
  /** @example "Production to the on-call channel" */
  @RequiredTextLine(100)
  name: string;

  @NestedObject(() => NotificationChannelRequest)
  channel: NotificationChannelRequest;

  /**
   * Events to report. A run with several of these events is reported once, with the most severe. `webhook_disabled`
   * needs the role admin and a rule without environments and plans.
   */
  @ApiProperty({
    enum: NOTIFICATION_EVENTS,
    isArray: true,
    uniqueItems: true,
    example: ['approval_requested', 'failed'],
  })
  @IsIn(NOTIFICATION_EVENTS, { each: true, ...EVENTS_ADVICE })
  @ArrayUnique(EVENTS_ADVICE)
  @ArrayMinSize(1, EVENTS_ADVICE)
  @ArrayMaxSize(NOTIFICATION_EVENTS.length, EVENTS_ADVICE)
  @IsArray(EVENTS_ADVICE)
  events: NotificationEvent[];

  /** Environments; absent or null = all that the member who saves the rule can see. */
  @SomeIds('environment')
  environmentIds?: string[] | null;

  /** Plans; absent or null = all. */
  @SomeIds('plan')
  planIds?: string[] | null;

  /** Default true. */
  @OptionalBoolean()
  enabled?: boolean;
}

export class UpdateNotificationRuleRequest extends PartialUpdateOf(CreateNotificationRuleRequest) {}

/** Channel to test before a rule is saved. */
export class TestNotificationRuleRequest {
  /** @example "Production to the on-call channel" */
  @RequiredTextLine(100)
  name: string;

  @NestedObject(() => NotificationChannelRequest)
  channel: NotificationChannelRequest;
}

export class ListNotificationRulesQuery extends NamedListQuery {}

export class ListNotificationDeliveriesQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}
