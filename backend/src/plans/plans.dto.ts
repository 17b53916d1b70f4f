import { ApiProperty } from '@nestjs/swagger';
import { Allow, ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsIn, IsInt, IsString } from 'class-validator';
import { FreeText, Maybe, MaybeNull, NestedList, QueryText, RecordId, Text } from '../common/http/fields.js';
import { QueryId, QueryName, SortBy } from '../common/http/paging/filters.js';
import { PageQuery } from '../common/http/paging/page.dto.js';
import { VALUE_SCHEMA } from '../common/variables/value-schema.js';
import { RUN_MODES, type RunMode } from '../environments/environments.dto.js';
import { FAILURE_POLICIES, type FailurePolicy, STRATEGIES, type Strategy } from './steps/plan-content.js';
import { PlanStepRequest } from './steps/plan-step.dto.js';
import { VARIABLE_TYPES, type VariableType, type VariableValue } from '../common/variables/variable-value.js';

const MODES_ADVICE = { message: `allowedModes must be a list of ${RUN_MODES.join(', ')}, each once` };

export class PlanVariableRequest {
  /** @example "RELEASE" */
  @Text(64)
  name: string;

  @ApiProperty({ enum: VARIABLE_TYPES, example: 'string' })
  @IsIn(VARIABLE_TYPES, { message: `type must be one of ${VARIABLE_TYPES.join(', ')}` })
  type: VariableType;

  /** A required variable without a default must be given at each start. */
  @Maybe()
  @IsBoolean({ message: 'required must be true or false' })
  required?: boolean;

  @ApiProperty({ ...VALUE_SCHEMA, required: false })
  @Maybe()
  @Allow()
  default?: VariableValue;

  /** Allowed values of a `choice`. */
  @Maybe()
  @IsArray({ message: 'choices must be a list' })
  @ArrayMaxSize(200, { message: 'choices may hold at most 200 items' })
  @IsString({ each: true, message: 'choices must be texts' })
  choices?: string[];

  /** Regular expression that a text must match as a whole. */
  @Maybe()
  @FreeText(200)
  pattern?: string;

  @Maybe()
  @FreeText(500)
  description?: string;
}

export class CreatePlanRequest {
  /** @example "Restart web" */
  @Text(100)
  name: string;

  @Maybe()
  @FreeText(2000)
  description?: string;

  /** Where the plan runs unless a start says otherwise. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /**
   * Selector over the environment's servers; empty: all of them.
   * @example "role in (web, worker)"
   */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  @Maybe()
  @NestedList(() => PlanVariableRequest, 100)
  variables?: PlanVariableRequest[];

  @NestedList(() => PlanStepRequest, 100)
  steps: PlanStepRequest[];

  /** How long a whole run may take, in seconds; absent: no limit of its own. */
  @Maybe()
  @IsInt({ message: 'timeoutSeconds must be a whole number of seconds' })
  timeoutSeconds?: number;

  /** Share of a step's hosts that may fail, in percent. */
  @Maybe()
  @IsInt({ message: 'maxFailPercent must be a whole number' })
  maxFailPercent?: number;

  /** Whether a run goes on after a step that failed. */
  @ApiProperty({ enum: FAILURE_POLICIES, required: false })
  @Maybe()
  @IsIn(FAILURE_POLICIES, { message: `onFailure must be one of ${FAILURE_POLICIES.join(', ')}` })
  onFailure?: FailurePolicy;

  /**
   * `barrier`: a step begins when every host of the one before has a result. `free`: each host goes on to its next step by
   * itself; all meet at gates, steps with `runOnce` or `batch`, steps that are asked about, and at a pause.
   */
  @ApiProperty({ enum: STRATEGIES, required: false })
  @Maybe()
  @IsIn(STRATEGIES, { message: `strategy must be one of ${STRATEGIES.join(', ')}` })
  strategy?: Strategy;

  /** Several runs of the plan may go on in one environment, as long as they share no host. */
  @Maybe()
  @IsBoolean({ message: 'parallelSafe must be true or false' })
  parallelSafe?: boolean;

  /**
   * Names that only one run holds at a time, whatever its plan.
   * @example ["database-migration"]
   */
  @Maybe()
  @IsArray({ message: 'locks must be a list' })
  @ArrayMaxSize(20, { message: 'locks may hold at most 20 items' })
  @IsString({ each: true, message: 'locks must be a list of texts' })
  locks?: string[];

  /** Modes that a start may choose; empty: all. */
  @ApiProperty({ enum: RUN_MODES, isArray: true, required: false })
  @Maybe()
  @IsArray(MODES_ADVICE)
  @ArrayMaxSize(RUN_MODES.length, MODES_ADVICE)
  @ArrayUnique(MODES_ADVICE)
  @IsIn(RUN_MODES, { each: true, ...MODES_ADVICE })
  allowedModes?: RunMode[];
}

export class UpdatePlanRequest {
  /** @example "Restart web" */
  @Maybe()
  @Text(100)
  name?: string;

  @Maybe()
  @FreeText(2000)
  description?: string;

  /** Null: the plan has no environment of its own. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @RecordId()
  environmentId?: string | null;

  /** @example "role=web" */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  @Maybe()
  @NestedList(() => PlanVariableRequest, 100)
  variables?: PlanVariableRequest[];

  @Maybe()
  @NestedList(() => PlanStepRequest, 100)
  steps?: PlanStepRequest[];

  /** Null: no limit of its own. */
  @ApiProperty({ type: Number, nullable: true, required: false })
  @MaybeNull()
  @IsInt({ message: 'timeoutSeconds must be a whole number of seconds' })
  timeoutSeconds?: number | null;

  /** Share of a step's hosts that may fail, in percent. */
  @Maybe()
  @IsInt({ message: 'maxFailPercent must be a whole number' })
  maxFailPercent?: number;

  /** Whether a run goes on after a step that failed. */
  @ApiProperty({ enum: FAILURE_POLICIES, required: false })
  @Maybe()
  @IsIn(FAILURE_POLICIES, { message: `onFailure must be one of ${FAILURE_POLICIES.join(', ')}` })
  onFailure?: FailurePolicy;

  /**
   * `barrier`: a step begins when every host of the one before has a result. `free`: each host goes on to its next step by
   * itself; all meet at gates, steps with `runOnce` or `batch`, steps that are asked about, and at a pause.
   */
  @ApiProperty({ enum: STRATEGIES, required: false })
  @Maybe()
  @IsIn(STRATEGIES, { message: `strategy must be one of ${STRATEGIES.join(', ')}` })
  strategy?: Strategy;

  /** Several runs of the plan may go on in one environment, as long as they share no host. */
  @Maybe()
  @IsBoolean({ message: 'parallelSafe must be true or false' })
  parallelSafe?: boolean;

  /**
   * Names that only one run holds at a time, whatever its plan.
   * @example ["database-migration"]
   */
  @Maybe()
  @IsArray({ message: 'locks must be a list' })
  @ArrayMaxSize(20, { message: 'locks may hold at most 20 items' })
  @IsString({ each: true, message: 'locks must be a list of texts' })
  locks?: string[];

  /** Modes that a start may choose; empty: all. */
  @ApiProperty({ enum: RUN_MODES, isArray: true, required: false })
  @Maybe()
  @IsArray(MODES_ADVICE)
  @ArrayMaxSize(RUN_MODES.length, MODES_ADVICE)
  @ArrayUnique(MODES_ADVICE)
  @IsIn(RUN_MODES, { each: true, ...MODES_ADVICE })
  allowedModes?: RunMode[];
}

export class ListPlansQuery extends PageQuery {
  @SortBy(['name', 'createdAt', 'updatedAt'])
  sort?: string;

  @QueryName()
  name?: string;

  /** Part of the name. */
  @QueryText()
  q?: string;

  @QueryId()
  environmentId?: string;
}

export class ListRevisionsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}

export class PlanVariablesQuery {
  /** Instead of the plan's own environment. */
  @QueryId()
  environmentId?: string;
}

export class PreviewTargetsRequest {
  /** Instead of the plan's own environment. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /** Selector that narrows the plan's hosts further. */
  @Maybe()
  @FreeText(1000)
  targets?: string;
}
