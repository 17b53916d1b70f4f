import { ApiProperty } from '@nestjs/swagger';
import { Allow, ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsString } from 'class-validator';
import { FreeText, Maybe, MaybeNull, NestedList, QueryText, RecordId, Text } from '../common/http/fields.js';
import { PageQuery } from '../common/http/page.dto.js';
import { VARIABLE_TYPES, type VariableType, type VariableValue } from './variables/variable-value.js';

/** Schema of a variable's value in the OpenAPI document. */
export const VALUE_SCHEMA = {
  oneOf: [
    { type: 'string' as const },
    { type: 'number' as const },
    { type: 'boolean' as const },
    {
      type: 'array' as const,
      items: { oneOf: [{ type: 'string' as const }, { type: 'number' as const }, { type: 'boolean' as const }] },
    },
  ],
};

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

export class PlanStepRequest {
  /**
   * Unique in the plan; stands in results and links.
   * @example "restart"
   */
  @Text(63)
  key: string;

  /** @example "Restart the service" */
  @Maybe()
  @Text(200)
  name?: string;

  @ApiProperty({ enum: ['command'], required: false, example: 'command' })
  @Maybe()
  @IsIn(['command'], { message: 'type must be command' })
  type?: 'command';

  /**
   * Shell command. `{{ name }}` puts a variable in, quoted for the shell.
   * @example "systemctl restart web"
   */
  @FreeText(65_536)
  command: string;

  /**
   * Selector that narrows the plan's hosts for this step; empty: all of them.
   * @example "role=web"
   */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  /**
   * How long the command may take on one host, in seconds.
   * @example 600
   */
  @Maybe()
  @IsInt({ message: 'timeoutSeconds must be a whole number of seconds' })
  timeoutSeconds?: number;
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
}

export class ListPlansQuery extends PageQuery {
  /** Part of the name. */
  @QueryText()
  q?: string;

  @QueryText(64)
  environmentId?: string;
}

export class ListRevisionsQuery extends PageQuery {}

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
