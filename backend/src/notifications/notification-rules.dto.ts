import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { ChangeOf, Maybe, MaybeNull, Nested, OneOf, Text, YesNo } from '../common/http/fields.js';
import { SortBy } from '../common/http/paging/filters.js';
import { NamedListQuery, PageQuery } from '../common/http/paging/page.dto.js';
import { CHANNEL_TYPES, type ChannelType } from './messages/channel.js';
import { NOTIFICATION_EVENTS, type NotificationEvent } from './messages/notification-events.js';

/** Recipients of one rule. */
export const MOST_RECIPIENTS = 50;
/** Environments, or plans, that one rule names. */
const MOST_NAMED = 100;

const EVENTS_ADVICE = {
  message: `events must be a list of at least one of ${NOTIFICATION_EVENTS.join(', ')}, each once`,
};
const TO_ADVICE = { message: `to must be a list of at most ${MOST_RECIPIENTS} ids of members or e-mail addresses` };
const TOPIC_ADVICE = { message: 'topic must have 1 to 64 letters, digits, - or _' };
const TOKEN_ADVICE = { message: 'token must have 1 to 500 visible characters' };

/** Ids of records, at least one; null: of all. */
const SomeIds = (what: string) =>
  applyDecorators(
    ApiProperty({ type: [String], nullable: true, required: false, maxItems: MOST_NAMED }),
    MaxLength(64, { each: true, message: `$property must be a list of ids of ${what}s` }),
    IsString({ each: true, message: `$property must be a list of ids of ${what}s` }),
    ArrayUnique({ message: `$property must name each of the ${what}s once` }),
    ArrayMinSize(1, { message: `$property must name at least one; null stands for all ${what}s` }),
    ArrayMaxSize(MOST_NAMED, { message: `$property may name at most ${MOST_NAMED} ${what}s` }),
    IsArray({ message: `$property must be a list of ids of ${what}s` }),
    MaybeNull(),
  );

/** Which fields go with which type, `rule-channel.ts` looks at. */
export class NotificationChannelRequest {
  @OneOf(CHANNEL_TYPES)
  type: ChannelType;

  /** Of `email`: ids of members, who get it while they may see the environment, and addresses. */
  @ApiProperty({ type: [String], required: false, maxItems: MOST_RECIPIENTS, example: ['ops@example.org'] })
  @MaxLength(254, { each: true, ...TO_ADVICE })
  @IsString({ each: true, ...TO_ADVICE })
  @ArrayMinSize(1, { message: 'to must name at least one recipient' })
  @ArrayMaxSize(MOST_RECIPIENTS, TO_ADVICE)
  @IsArray(TO_ADVICE)
  @Maybe()
  to?: string[];

  /**
   * Of `slack` and `teams`: the address of the incoming webhook, which is never shown again; in a change left out: the
   * one that is stored. Of `ntfy`: the server.
   * @example "https://hooks.example.com/services/T0/B0/secret"
   */
  @Maybe()
  @Text(2000)
  url?: string;

  /**
   * Of `ntfy`: what its users subscribe to.
   * @example "runward-production"
   */
  @Maybe()
  @Matches(/^[-_A-Za-z0-9]{1,64}$/, TOPIC_ADVICE)
  topic?: string;

  /** Of `ntfy`: an access token, which is never shown again. Null: none; in a change left out: the one that is stored. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'tk_a-token-that-may-publish' })
  @MaybeNull()
  @Matches(/^[\x21-\x7e]{1,500}$/, TOKEN_ADVICE)
  token?: string | null;
}

export class CreateNotificationRuleRequest {
  /** @example "Production to the on-call channel" */
  @Text(100)
  name: string;

  @Nested(() => NotificationChannelRequest)
  channel: NotificationChannelRequest;

  /**
   * What it tells of. A run that means several of these is told of once, by the gravest. `webhook_disabled` takes the role
   * admin, and a rule that is narrowed neither to environments nor to plans.
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

  /** Where. Absent or null: in all environments that whoever saves the rule may see. */
  @SomeIds('environment')
  environmentIds?: string[] | null;

  /** Of which plans. Absent or null: of all. */
  @SomeIds('plan')
  planIds?: string[] | null;

  /** Unless given, it is. */
  @YesNo()
  enabled?: boolean;
}

export class UpdateNotificationRuleRequest extends ChangeOf(CreateNotificationRuleRequest) {}

/** A channel to be tried before a rule is saved. */
export class TestNotificationRuleRequest {
  /** @example "Production to the on-call channel" */
  @Text(100)
  name: string;

  @Nested(() => NotificationChannelRequest)
  channel: NotificationChannelRequest;
}

export class ListNotificationRulesQuery extends NamedListQuery {}

export class ListNotificationDeliveriesQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}
