import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsString } from 'class-validator';
import {
  IsText,
  MultilineText,
  OptionalTextLine,
  IsOptionalField,
  IsNullableField,
  OptionalOneOf,
  NestedObject,
  RecordId,
  RequiredTextLine,
  OptionalBoolean,
} from '../../common/http/fields.js';
import { BACKOFFS, FAILURE_POLICIES, type FailurePolicy, STEP_TYPES, type StepType } from './plan-content.js';
import { VALUE_SCHEMA } from '../../variables/value-schema.js';
import { IsVariableMap } from '../../variables/variable-map.js';
import type { VariableValue } from '../../variables/variable-value.js';
import {
  BATCH_SCHEMA,
  BECOME_SCHEMA,
  FOR_EACH_SCHEMA,
  IsBatch,
  IsBecome,
  IsForEach,
  IsTextMap,
  TEXT_MAP_SCHEMA,
} from './plan-step.fields.js';

const wholeNumberMessage = (name: string) => ({ message: `${name} must be a whole number` });
const wholeNumbersMessage = (name: string) => ({ message: `${name} must be a list of whole numbers` });
const textListMessage = (name: string) => ({ message: `${name} must be a list of texts` });

export class StepRetriesRequest {
  /**
   * Number of attempts after the first one, 1 to 20.
   * @example 3
   */
  @IsInt(wholeNumberMessage('count'))
  count: number;

  /**
   * Delay before the next attempt, in seconds, 0 to 3,600.
   * @example 10
   */
  @IsOptionalField()
  @IsInt(wholeNumberMessage('delaySeconds'))
  delaySeconds?: number;

  /** Whether the delay stays constant or doubles each time. */
  @OptionalOneOf(BACKOFFS)
  backoff?: (typeof BACKOFFS)[number];
}

/** Step of a plan. Fields of other step types are refused. */
@ApiExtraModels(StepRetriesRequest)
export class PlanStepRequest {
  /**
   * Unique in the plan; used in results and links.
   * @example "restart"
   */
  @RequiredTextLine(63)
  key: string;

  /** @example "Restart the service" */
  @IsOptionalField()
  @RequiredTextLine(200)
  name?: string;

  /** @example "command" */
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
  @ApiProperty({ type: Number, nullable: true, required: false })
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
  onlyIfChanged?: string[];

  /**
   * Shell command; required for type `command`. `{{ name }}` inserts a variable, quoted for the shell.
   * @example "systemctl restart web"
   */
  @IsOptionalField()
  @IsText(65_536)
  command?: string;

  /** Script of the library; required for type `script`. */
  @IsOptionalField()
  @RecordId()
  scriptId?: string;

  /** Arguments of the script, in which `{{ name }}` inserts a variable. */
  @IsOptionalField()
  @IsArray(textListMessage('arguments'))
  @ArrayMaxSize(100, { message: 'arguments may hold at most 100 items' })
  @IsString({ each: true, ...textListMessage('arguments') })
  arguments?: string[];

  /** Program that runs the script. Overrides the script's interpreter and first line; null = the script's own. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(256)
  interpreter?: string | null;

  /** Template of the library; required for type `template`. */
  @IsOptionalField()
  @RecordId()
  templateId?: string;

  /** Git source; required for type `file`. */
  @IsOptionalField()
  @RecordId()
  gitSourceId?: string;

  /** For type `file`: path of the file from the root of the repository. */
  @IsOptionalField()
  @OptionalTextLine(1024)
  sourcePath?: string;

  /** Branch, tag or full commit ID; null = the branch of the source. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(250)
  ref?: string | null;

  /** For types `template` and `file`: absolute path of the file to write. */
  @IsOptionalField()
  @OptionalTextLine(4096)
  path?: string;

  /** Name or number of the file's owner; null = unchanged, and a new file belongs to the user who writes it. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(64)
  owner?: string | null;

  /** Name or number of the file's group. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(64)
  group?: string | null;

  /** Octal permissions such as `0644`; null = unchanged. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(8)
  mode?: string | null;

  /** Keeps the replaced file beside the new one, with the time in its name. */
  @OptionalBoolean()
  backup?: boolean;

  /** Command that validates the new file; `%s` is its path. If it fails, the old file is kept. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @IsText(65_536)
  validate?: string | null;

  /** User that runs the command, by sudo; `true` = root. */
  @ApiProperty({ ...BECOME_SCHEMA, required: false })
  @IsNullableField()
  @IsBecome()
  become?: boolean | string | null;

  /** Absolute path. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(4096)
  workingDirectory?: string | null;

  /**
   * Further environment variables of the command. Do not use secrets: every member who can see the plan can see them.
   */
  @ApiPropertyOptional(TEXT_MAP_SCHEMA)
  @IsOptionalField()
  @IsTextMap()
  environment?: Record<string, string>;

  /** Exit codes that mean success. */
  @IsOptionalField()
  @IsArray(wholeNumbersMessage('okExitCodes'))
  @ArrayMaxSize(256, { message: 'okExitCodes may hold at most 256 items' })
  @IsInt({ each: true, ...wholeNumbersMessage('okExitCodes') })
  okExitCodes?: number[];

  /** Exit codes that also mean success. If any are set, only these count as a change. */
  @IsOptionalField()
  @IsArray(wholeNumbersMessage('changedExitCodes'))
  @ArrayMaxSize(256, { message: 'changedExitCodes may hold at most 256 items' })
  @IsInt({ each: true, ...wholeNumbersMessage('changedExitCodes') })
  changedExitCodes?: number[];

  /** If this command succeeds, the step is skipped. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @IsText(65_536)
  unless?: string | null;

  /** Read-only command for dry runs. Exit code 0 = no change needed, 1 = change needed. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @IsText(65_536)
  check?: string | null;

  /** The step never changes anything. */
  @OptionalBoolean()
  readOnly?: boolean;

  /** Runward may start it again automatically when its result is unknown. */
  @OptionalBoolean()
  idempotent?: boolean;

  /** Names of outputs. The command sets them with `name=value` lines in the file `$RUNWARD_OUTPUT`. */
  @IsOptionalField()
  @IsArray(textListMessage('outputs'))
  @ArrayMaxSize(100, { message: 'outputs may hold at most 100 items' })
  @IsString({ each: true, ...textListMessage('outputs') })
  outputs?: string[];

  /** For type `wait`: TCP port on the host. */
  @ApiProperty({ type: Number, nullable: true, required: false })
  @IsNullableField()
  @IsInt(wholeNumberMessage('port'))
  port?: number | null;

  /** For type `wait`: URL, requested from the host. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(2000)
  url?: string | null;

  /** Plan whose steps are inserted; required for type `plan`. */
  @IsOptionalField()
  @RecordId()
  planId?: string;

  /** Values for variables of the called plan. The text `{{ name }}` inserts a variable of this plan. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { release: '{{ version }}' } })
  @IsOptionalField()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /** For type `plan`: outputs, each with its step and output in the called plan. */
  @ApiPropertyOptional({ ...TEXT_MAP_SCHEMA, example: { address: 'deploy.address' } })
  @IsOptionalField()
  @IsTextMap()
  outputsFrom?: Record<string, string>;

  /** Runs the step once for each item, as `{{ item }}`: name of a variable of type list, or the items. */
  @ApiProperty({ ...FOR_EACH_SCHEMA, required: false })
  @IsNullableField()
  @IsForEach()
  forEach?: string | string[] | null;

  /** For type `gate`: question for the person. */
  @IsOptionalField()
  @MultilineText(2000)
  message?: string;

  /** For type `gate`: marks work that the plan lacks. A dry run is blocked here, and no rerun can begin after it. */
  @OptionalBoolean()
  placeholder?: boolean;
}
