import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Allow, ArrayMaxSize, IsArray, IsInt, IsString } from 'class-validator';
import {
  ChangeOf,
  FreeText,
  Maybe,
  MaybeNull,
  MaybeOneOf,
  NestedList,
  OneOf,
  QueryYesNo,
  RecordId,
  Text,
  YesNo,
} from '../common/http/fields.js';
import { QueryId } from '../common/http/paging/filters.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { RevisionMessage } from '../common/revisions/revision-message.js';
import { VALUE_SCHEMA } from '../common/variables/value-schema.js';
import { AllowedModes, type RunMode } from '../environments/environments.dto.js';
import { FAILURE_POLICIES, type FailurePolicy, STRATEGIES, type Strategy } from './steps/plan-content.js';
import { PlanStepRequest } from './steps/plan-step.dto.js';
import { VARIABLE_TYPES, type VariableType, type VariableValue } from '../common/variables/variable-value.js';

export class PlanVariableRequest {
  /** @example "RELEASE" */
  @Text(64)
  name: string;

  /** @example "string" */
  @OneOf(VARIABLE_TYPES)
  type: VariableType;

  /** A required variable without a default must be given at each start. */
  @YesNo()
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

/** What a plan is: the text of one has these fields. */
export class PlanFieldsRequest {
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

  /** The collection that it lies in; absent: it lies in none. */
  @Maybe()
  @RecordId()
  collectionId?: string;

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
  @MaybeOneOf(FAILURE_POLICIES)
  onFailure?: FailurePolicy;

  /**
   * `barrier`: a step begins when every host of the one before has a result. `free`: each host goes on to its next step by
   * itself; all meet at gates, steps with `runOnce` or `batch`, steps that are asked about, and at a pause.
   */
  @MaybeOneOf(STRATEGIES)
  strategy?: Strategy;

  /** Several runs of the plan may go on in one environment, as long as they share no host. */
  @YesNo()
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
  @AllowedModes()
  allowedModes?: RunMode[];
}

export class CreatePlanRequest extends PlanFieldsRequest {
  /** Why it is saved: shown with the revision. */
  @RevisionMessage()
  message?: string | null;
}

export class UpdatePlanRequest extends ChangeOf(
  OmitType(CreatePlanRequest, ['environmentId', 'collectionId', 'timeoutSeconds']),
) {
  /** Null: the plan has no environment of its own. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @RecordId()
  environmentId?: string | null;

  /** Null: it lies in no collection. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @RecordId()
  collectionId?: string | null;

  /** Null: no limit of its own. */
  @ApiProperty({ type: Number, nullable: true, required: false })
  @MaybeNull()
  @IsInt({ message: 'timeoutSeconds must be a whole number of seconds' })
  timeoutSeconds?: number | null;
}

export class ListPlansQuery extends NamedListQuery {
  @QueryId()
  environmentId?: string;

  /** Those in this collection, and in the collections in it. */
  @QueryId()
  collectionId?: string;

  /** `true`: those that lie in no collection; `false`: those that lie in one. */
  @QueryYesNo()
  uncollected?: boolean;
}

export class PlanVariablesQuery {
  /** Instead of the plan's own environment. */
  @QueryId()
  environmentId?: string;

  /** As on this server, which stands in that environment. */
  @QueryId()
  serverId?: string;
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
