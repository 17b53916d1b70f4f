import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Allow, ArrayMaxSize, IsArray, IsInt, IsString } from 'class-validator';
import {
  PartialUpdateOf,
  MultilineText,
  IsOptionalField,
  IsNullableField,
  OptionalOneOf,
  NestedObjectList,
  IsOneOf,
  QueryBoolean,
  RecordId,
  RequiredTextLine,
  OptionalBoolean,
  TextItems,
} from '../common/http/fields.js';
import { QueryId } from '../common/http/paging/filters.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { RevisionMessage } from '../revisions/revision-message.js';
import { VALUE_SCHEMA } from '../variables/value-schema.js';
import { OptionalRunModes, type RunMode } from '../environments/environments.dto.js';
import { FAILURE_POLICIES, type FailurePolicy } from './steps/fields/step-base.js';
import { STRATEGIES, type Strategy } from './steps/plan-content.js';
import { PERCENT_LIMITS, TIMEOUT_LIMITS } from './steps/fields/numbers.js';
import { PlanStepRequest } from './steps/plan-step.dto.js';
import { VARIABLE_TYPES, type VariableType, type VariableValue } from '../variables/variable-value.js';

export class PlanVariableRequest {
  /**
   * Name in `{{ }}` and of the environment variable of commands; unique in the plan.
   * @example "RELEASE"
   */
  @RequiredTextLine(64)
  name: string;

  /**
   * Type that a value must have. `secret` = a text that is stored encrypted; `choice` = one of `choices`.
   * @example "string"
   */
  @IsOneOf(VARIABLE_TYPES)
  type: VariableType;

  /** A required variable without a default needs a value at each start. */
  @OptionalBoolean()
  required?: boolean;

  /** Value without another one from the start, environment or server; absent = none. */
  @ApiProperty({ ...VALUE_SCHEMA, required: false })
  @IsOptionalField()
  @Allow()
  default?: VariableValue;

  /** Allowed values of a `choice`. */
  @IsOptionalField()
  @IsArray({ message: 'choices must be a list' })
  @ArrayMaxSize(200, { message: 'choices may hold at most 200 items' })
  @IsString({ each: true, message: 'choices must be texts' })
  @TextItems(200)
  choices?: string[];

  /** Regular expression that must match the whole text. */
  @IsOptionalField()
  @MultilineText(200)
  pattern?: string;

  @IsOptionalField()
  @MultilineText(500)
  description?: string;
}

/** Fields of a plan. The text of a plan has the same fields. */
export class PlanFieldsRequest {
  /** @example "Restart web" */
  @RequiredTextLine(100)
  name: string;

  @IsOptionalField()
  @MultilineText(2000)
  description?: string;

  /** Default environment of a start. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /** Collection of the plan; absent = none. */
  @IsOptionalField()
  @RecordId()
  collectionId?: string;

  /**
   * Selector of the environment's servers; empty = all.
   * @example "role in (web, worker)"
   */
  @IsOptionalField()
  @MultilineText(1000)
  targets?: string;

  /** Declared variables, at most 100. The list replaces the previous one. */
  @IsOptionalField()
  @NestedObjectList(() => PlanVariableRequest, 100)
  variables?: PlanVariableRequest[];

  /** Steps in their order. The list replaces the previous one. */
  @NestedObjectList(() => PlanStepRequest, 100)
  steps: PlanStepRequest[];

  /** Maximum duration of a run, in seconds; absent = no limit of the plan. */
  @IsOptionalField()
  @ApiProperty({ ...TIMEOUT_LIMITS, required: false })
  @IsInt({ message: 'timeoutSeconds must be a whole number of seconds' })
  timeoutSeconds?: number;

  /** Percentage of a step's hosts that may fail. */
  @IsOptionalField()
  @ApiProperty({ ...PERCENT_LIMITS, required: false })
  @IsInt({ message: 'maxFailPercent must be a whole number' })
  maxFailPercent?: number;

  /** Whether a run continues after a failed step. */
  @OptionalOneOf(FAILURE_POLICIES)
  onFailure?: FailurePolicy;

  /**
   * `barrier`: a step begins when every host has a result of the previous step. `free`: each host continues with its
   * next step independently. All hosts wait for one another at gates, steps with `runOnce` or `batch`, steps that
   * need confirmation, and pauses.
   */
  @OptionalOneOf(STRATEGIES)
  strategy?: Strategy;

  /** Several runs of the plan can run in one environment at the same time if they share no host. */
  @OptionalBoolean()
  parallelSafe?: boolean;

  /**
   * Named locks, each held by only one run at a time, of any plan.
   * @example ["database-migration"]
   */
  @IsOptionalField()
  @IsArray({ message: 'locks must be a list' })
  @ArrayMaxSize(20, { message: 'locks may hold at most 20 items' })
  @IsString({ each: true, message: 'locks must be a list of texts' })
  @TextItems(63)
  locks?: string[];

  /** Modes that a start can use; empty = all. */
  @OptionalRunModes()
  allowedModes?: RunMode[];
}

export class CreatePlanRequest extends PlanFieldsRequest {
  /** Reason, shown with the revision. */
  @RevisionMessage()
  message?: string | null;
}

export class UpdatePlanRequest extends PartialUpdateOf(
  OmitType(CreatePlanRequest, ['environmentId', 'collectionId', 'timeoutSeconds']),
) {
  /** Null = no default environment. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @RecordId()
  environmentId?: string | null;

  /** Null = no collection. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @RecordId()
  collectionId?: string | null;

  /** Null = no limit of the plan. */
  @ApiProperty({ ...TIMEOUT_LIMITS, type: Number, nullable: true, required: false })
  @IsNullableField()
  @IsInt({ message: 'timeoutSeconds must be a whole number of seconds' })
  timeoutSeconds?: number | null;
}

export class ListPlansQuery extends NamedListQuery {
  @QueryId()
  environmentId?: string;

  /** Plans in this collection and its nested collections. */
  @QueryId()
  collectionId?: string;

  /** `true`: only plans without a collection; `false`: only plans in a collection. */
  @QueryBoolean()
  uncollected?: boolean;
}

export class PlanVariablesQuery {
  /** Environment; default: the plan's own. */
  @QueryId()
  environmentId?: string;

  /** Server of that environment whose values are included. */
  @QueryId()
  serverId?: string;
}

export class PreviewTargetsRequest {
  /** Environment; default: the plan's own. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /** Selector that further narrows the plan's hosts. */
  @IsOptionalField()
  @MultilineText(1000)
  targets?: string;
}
