import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath, IntersectionType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsString } from 'class-validator';
import {
  IsNullableField,
  IsOptionalField,
  MultilineText,
  NestedObject,
  OptionalBoolean,
  OptionalOneOf,
  RequiredTextLine,
  TextItems,
} from '../../common/http/fields.js';
import { BATCH_SCHEMA, IsBatch, textListMessage, wholeNumberMessage } from './fields/field-decorators.js';
import { PERCENT_LIMITS, RETRY_DELAY_LIMITS, RETRY_LIMITS, TIMEOUT_LIMITS } from './fields/numbers.js';
import { BACKOFFS, FAILURE_POLICIES, type FailurePolicy } from './fields/step-base.js';
import { FIELD_GROUPS, type OwnRequestFields, STEP_TYPES, type StepType } from './types/step-types.js';

export class StepRetriesRequest {
  /**
   * Number of attempts after the first one, 1 to 20.
   * @example 3
   */
  @ApiProperty(RETRY_LIMITS)
  @IsInt(wholeNumberMessage('count'))
  count: number;

  /**
   * Delay before the next attempt, in seconds, 0 to 3,600.
   * @example 10
   */
  @IsOptionalField()
  @ApiProperty({ ...RETRY_DELAY_LIMITS, required: false })
  @IsInt(wholeNumberMessage('delaySeconds'))
  delaySeconds?: number;

  /** Whether the delay stays constant or doubles each time. */
  @OptionalOneOf(BACKOFFS)
  backoff?: (typeof BACKOFFS)[number];
}

/** Fields of every step. */
@ApiExtraModels(StepRetriesRequest)
class StepBaseRequest {
  /**
   * Unique in the plan; used in results and links.
   * @example "restart"
   */
  @RequiredTextLine(63)
  key: string;

  /**
   * Title of the step, shown instead of its key.
   * @example "Restart the service"
   */
  @IsOptionalField()
  @RequiredTextLine(200)
  name?: string;

  /**
   * Kind of work. Default: the type of the fields that are set, such as `command`.
   * @example "command"
   */
  @OptionalOneOf(STEP_TYPES)
  type?: StepType;

  /**
   * Selector that narrows the plan's hosts for this step; empty = all of them.
   * @example "role=web"
   */
  @IsOptionalField()
  @MultilineText(1000)
  targets?: string;

  /**
   * Maximum duration of the step on one host, in seconds; for a gate, maximum wait for an answer.
   * @example 600
   */
  @IsOptionalField()
  @ApiProperty({ ...TIMEOUT_LIMITS, required: false })
  @IsInt({ message: 'timeoutSeconds must be a whole number of seconds' })
  timeoutSeconds?: number;

  /** Runs only on the first of its hosts. */
  @OptionalBoolean()
  runOnce?: boolean;

  /** Condition on variables, the host and earlier steps, such as `steps.build.changed and host.tags.role == "web"`. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @MultilineText(2000)
  when?: string | null;

  /** Repetitions after a failed attempt; null = none. */
  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(StepRetriesRequest) }, { type: 'null' }], required: false })
  @IsNullableField()
  @NestedObject(() => StepRetriesRequest)
  retries?: StepRetriesRequest | null;

  /** Number of hosts at a time, or a percentage such as `25%`. */
  @ApiProperty({ ...BATCH_SCHEMA, required: false })
  @IsNullableField()
  @IsBatch()
  batch?: number | string | null;

  /** Percentage of hosts that may fail; null = the plan's value. */
  @ApiProperty({ ...PERCENT_LIMITS, type: Number, nullable: true, required: false })
  @IsNullableField()
  @IsInt(wholeNumberMessage('maxFailPercent'))
  maxFailPercent?: number | null;

  /** Null = the plan's value. */
  @ApiProperty({ enum: [...FAILURE_POLICIES, null], type: String, nullable: true, required: false })
  @IsNullableField()
  @IsIn(FAILURE_POLICIES, { message: `onFailure must be one of ${FAILURE_POLICIES.join(', ')}` })
  onFailure?: FailurePolicy | null;

  /** Runs even after a failure, for cleanup. */
  @OptionalBoolean()
  always?: boolean;

  /** In mode `semi_assisted`, a person must confirm it first. */
  @OptionalBoolean()
  confirm?: boolean;

  /** Keys of earlier steps. This step runs only on hosts that one of them changed. */
  @IsOptionalField()
  @IsArray(textListMessage('onlyIfChanged'))
  @ArrayMaxSize(100, { message: 'onlyIfChanged may hold at most 100 items' })
  @IsString({ each: true, ...textListMessage('onlyIfChanged') })
  @TextItems(63)
  onlyIfChanged?: string[];
}

/** Step of a plan. Fields of other step types are refused. */
export class PlanStepRequest extends (IntersectionType(
  StepBaseRequest,
  ...FIELD_GROUPS.map(({ request }) => request),
) as Type<StepBaseRequest & OwnRequestFields>) {}
