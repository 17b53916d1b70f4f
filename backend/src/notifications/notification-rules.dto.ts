import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsString, MaxLength } from 'class-validator';
import {
  PartialUpdateOf,
  IsNullableField,
  IsOptionalField,
  OptionalTextLine,
  NestedObject,
  NestedObjectList,
  RecordId,
  IsOneOf,
  RequiredTextLine,
  OptionalBoolean,
} from '../common/http/fields.js';
import { SortBy } from '../common/http/paging/filters.js';
import { NamedListQuery, PageQuery } from '../common/http/paging/page.dto.js';
import { CHANNEL_TYPES, type ChannelType } from './channels/channel-list.js';
import { MAX_ADDRESS_CHARACTERS, MAX_RECIPIENTS, RequestFields } from './channels/field-decorators.js';
import { NOTIFICATION_EVENT_NAMES, type NotificationEvent } from './messages/notification-events.js';

/** Maximum number of environments, or plans, of a rule. */
const MAX_RULE_RECORDS = 100;

const EVENTS_ADVICE = {
  message: `events must be a list of at least one of ${NOTIFICATION_EVENT_NAMES.join(', ')}, each once`,
};

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

export class NotificationRecipientRequest {
  /** ID of the member. */
  @RecordId()
  id: string;

  /** Ignored: the member has the name. */
  @OptionalTextLine(MAX_ADDRESS_CHARACTERS)
  name: string;
}

/** Channel of a notification rule. `validate-channel.ts` validates which fields belong to which type. */
@RequestFields()
export class NotificationChannelRequest {
  /** Kind of the receiver; it decides which of the further fields are required. */
  @IsOneOf(CHANNEL_TYPES)
  type: ChannelType;

  /** Ignored: the record has the field. */
  @IsOptionalField()
  @NestedObjectList(() => NotificationRecipientRequest, MAX_RECIPIENTS)
  members?: NotificationRecipientRequest[];

  /** Ignored: the record has the field. */
  @IsOptionalField()
  @OptionalTextLine(MAX_ADDRESS_CHARACTERS)
  host?: string;

  /** Ignored: the record has the field. */
  @OptionalBoolean()
  set?: boolean;

  [field: string]: unknown;
}

export class CreateNotificationRuleRequest {
  /** @example "Production to the on-call channel" */
  @RequiredTextLine(100)
  name: string;

  @NestedObject(() => NotificationChannelRequest)
  channel: NotificationChannelRequest;

  /**
   * Events to report. A run with several of these events is reported once, with the most severe. `webhook.disabled`
   * needs the role admin and a rule without environments and plans.
   */
  @ApiProperty({
    enum: NOTIFICATION_EVENT_NAMES,
    isArray: true,
    uniqueItems: true,
    example: ['approval.requested', 'execution.failed'],
  })
  @IsIn(NOTIFICATION_EVENT_NAMES, { each: true, ...EVENTS_ADVICE })
  @ArrayUnique(EVENTS_ADVICE)
  @ArrayMinSize(1, EVENTS_ADVICE)
  @ArrayMaxSize(NOTIFICATION_EVENT_NAMES.length, EVENTS_ADVICE)
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
  /**
   * Name in the subject of the test message.
   * @example "Production to the on-call channel"
   */
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
