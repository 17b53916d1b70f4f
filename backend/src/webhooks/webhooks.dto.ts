import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsString, MaxLength } from 'class-validator';
import { PartialUpdateOf, IsNullableField, RequiredTextLine, OptionalBoolean } from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { EVENT_TYPES } from '../outbox/event-types.js';

export const MAX_URL = 2_000;
const MAX_ENVIRONMENTS = 50;

const EVENTS_ADVICE = { message: `events must be a list of at least one of ${EVENT_TYPES.join(', ')}, each once` };
const ENVIRONMENTS_ADVICE = {
  message: `environmentIds must be null or a list of 1 to ${MAX_ENVIRONMENTS} ids of environments, each once`,
};

const EventTypes = () =>
  applyDecorators(
    ApiProperty({
      enum: EVENT_TYPES,
      isArray: true,
      uniqueItems: true,
      minItems: 1,
      example: ['execution.finished', 'approval.requested'],
    }),
    IsIn(EVENT_TYPES, { each: true, ...EVENTS_ADVICE }),
    ArrayUnique(EVENTS_ADVICE),
    ArrayMinSize(1, EVENTS_ADVICE),
    ArrayMaxSize(EVENT_TYPES.length, EVENTS_ADVICE),
    IsArray(EVENTS_ADVICE),
  );

const EnvironmentIds = () =>
  applyDecorators(
    ApiProperty({ type: [String], nullable: true, required: false, uniqueItems: true, example: null }),
    IsString({ each: true, ...ENVIRONMENTS_ADVICE }),
    MaxLength(64, { each: true, ...ENVIRONMENTS_ADVICE }),
    ArrayUnique(ENVIRONMENTS_ADVICE),
    ArrayMinSize(1, ENVIRONMENTS_ADVICE),
    ArrayMaxSize(MAX_ENVIRONMENTS, ENVIRONMENTS_ADVICE),
    IsArray(ENVIRONMENTS_ADVICE),
    IsNullableField(),
  );

export class CreateWebhookRequest {
  /** @example "Deploy board" */
  @RequiredTextLine(100)
  name: string;

  /**
   * Address for messages: `https://…`, without user and password. Private addresses must be allowed by the
   * installation (`RUNWARD_OUTGOING_PRIVATE`); they can also use `http://…`. Redirects are not followed.
   * @example "https://hooks.example.com/runward"
   */
  @RequiredTextLine(MAX_URL)
  url: string;

  /** Events to send. */
  @EventTypes()
  events: string[];

  /** Only events in these environments; absent or null = in all that its owner can see. */
  @EnvironmentIds()
  environmentIds?: string[] | null;

  /** False = nothing is stored or sent for it. Default true. */
  @OptionalBoolean()
  enabled?: boolean;
}

export class UpdateWebhookRequest extends PartialUpdateOf(CreateWebhookRequest) {}

export class RotateWebhookSecretRequest {
  /**
   * Creates the new secret even if the previous one still signs, and ends the previous one now. The current secret
   * then signs for 24 hours beside the new one.
   */
  @OptionalBoolean()
  endOldSecret?: boolean;
}

export class ListWebhooksQuery extends NamedListQuery {}
