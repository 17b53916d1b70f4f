import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsString } from 'class-validator';
import {
  AnyText,
  FreeText,
  Line,
  Maybe,
  MaybeNull,
  MaybeOneOf,
  Nested,
  RecordId,
  Text,
  YesNo,
} from '../../common/http/fields.js';
import { BACKOFFS, FAILURE_POLICIES, type FailurePolicy, STEP_TYPES, type StepType } from './plan-content.js';
import { VALUE_SCHEMA } from '../../common/variables/value-schema.js';
import { IsVariableMap } from '../../common/variables/variable-map.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
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

const whole = (name: string) => ({ message: `${name} must be a whole number` });
const numbers = (name: string) => ({ message: `${name} must be a list of whole numbers` });
const texts = (name: string) => ({ message: `${name} must be a list of texts` });

export class StepRetriesRequest {
  /**
   * Attempts after the first one, 1 to 20.
   * @example 3
   */
  @IsInt(whole('count'))
  count: number;

  /**
   * Seconds before the next attempt, 0 to 3600.
   * @example 10
   */
  @Maybe()
  @IsInt(whole('delaySeconds'))
  delaySeconds?: number;

  /** Whether the delay stays the same or doubles each time. */
  @MaybeOneOf(BACKOFFS)
  backoff?: (typeof BACKOFFS)[number];
}

/** A field that does not belong to the step's type is refused. */
@ApiExtraModels(StepRetriesRequest)
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

  /** @example "command" */
  @MaybeOneOf(STEP_TYPES)
  type?: StepType;

  /**
   * Selector that narrows the plan's hosts for this step; empty: all of them.
   * @example "role=web"
   */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  /**
   * How long the step may take on one host, in seconds; for a gate, how long it waits for an answer.
   * @example 600
   */
  @Maybe()
  @IsInt({ message: 'timeoutSeconds must be a whole number of seconds' })
  timeoutSeconds?: number;

  /** Only on the first of its hosts. */
  @YesNo()
  runOnce?: boolean;

  /** Condition on variables, the host and earlier steps, such as `steps.build.changed and host.tags.role == "web"`. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @FreeText(2000)
  when?: string | null;

  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(StepRetriesRequest) }, { type: 'null' }], required: false })
  @MaybeNull()
  @Nested(() => StepRetriesRequest)
  retries?: StepRetriesRequest | null;

  /** How many hosts at a time: a number, or a share of them such as `25%`. */
  @ApiProperty({ ...BATCH_SCHEMA, required: false })
  @MaybeNull()
  @IsBatch()
  batch?: number | string | null;

  /** Share of hosts that may fail, in percent; null: the plan's. */
  @ApiProperty({ type: Number, nullable: true, required: false })
  @MaybeNull()
  @IsInt(whole('maxFailPercent'))
  maxFailPercent?: number | null;

  /** Null: the plan's. */
  @ApiProperty({ enum: [...FAILURE_POLICIES, null], type: String, nullable: true, required: false })
  @MaybeNull()
  @IsIn(FAILURE_POLICIES, { message: `onFailure must be one of ${FAILURE_POLICIES.join(', ')}` })
  onFailure?: FailurePolicy | null;

  /** Runs even after a failure: for cleaning up. */
  @YesNo()
  always?: boolean;

  /** A person is asked before it, in the mode `semi_assisted`. */
  @YesNo()
  confirm?: boolean;

  /** Keys of earlier steps: this one runs only on hosts that one of them changed. */
  @Maybe()
  @IsArray(texts('onlyIfChanged'))
  @ArrayMaxSize(100, { message: 'onlyIfChanged may hold at most 100 items' })
  @IsString({ each: true, ...texts('onlyIfChanged') })
  onlyIfChanged?: string[];

  /**
   * Shell command; every step of type command has one. `{{ name }}` puts a variable in, quoted for the shell.
   * @example "systemctl restart web"
   */
  @Maybe()
  @AnyText(65_536)
  command?: string;

  /** Script of the library; every step of type script has one. */
  @Maybe()
  @RecordId()
  scriptId?: string;

  /** What the script is called with: each one argument, in which `{{ name }}` puts a variable in. */
  @Maybe()
  @IsArray(texts('arguments'))
  @ArrayMaxSize(100, { message: 'arguments may hold at most 100 items' })
  @IsString({ each: true, ...texts('arguments') })
  arguments?: string[];

  /** Program that runs the script; overrides the script's interpreter and first line; null: the script's own. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @Line(256)
  interpreter?: string | null;

  /** Template of the library; every step of type template has one. */
  @Maybe()
  @RecordId()
  templateId?: string;

  /** Git source of a step of type file; every one has it. */
  @Maybe()
  @RecordId()
  gitSourceId?: string;

  /** Path of the file from the top of the repository, in a step of type file. */
  @Maybe()
  @Line(1024)
  sourcePath?: string;

  /** A branch, a tag, or the whole id of a commit; null: the branch of the source. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @Line(250)
  ref?: string | null;

  /** Absolute path of the file that a step of type template or file writes. */
  @Maybe()
  @Line(4096)
  path?: string;

  /** Name or number of the file's owner; null: it stays, and a new file belongs to who writes it. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @Line(64)
  owner?: string | null;

  /** Name or number of the file's group. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @Line(64)
  group?: string | null;

  /** Octal permissions such as `0644`; null: they stay. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @Line(8)
  mode?: string | null;

  /** Keeps a file that is replaced beside it, with the time in its name. */
  @YesNo()
  backup?: boolean;

  /** Command that looks at the new file, whose path `%s` stands for; where it fails, the old file stays. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @AnyText(65_536)
  validate?: string | null;

  /** User that the command runs as, by sudo; `true` means root. */
  @ApiProperty({ ...BECOME_SCHEMA, required: false })
  @MaybeNull()
  @IsBecome()
  become?: boolean | string | null;

  /** Absolute path. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @Line(4096)
  workingDirectory?: string | null;

  /** More variables for the command's process. Nothing secret: they are shown to whoever sees the plan. */
  @ApiPropertyOptional(TEXT_MAP_SCHEMA)
  @Maybe()
  @IsTextMap()
  environment?: Record<string, string>;

  /** Exit codes that mean success. */
  @Maybe()
  @IsArray(numbers('okExitCodes'))
  @ArrayMaxSize(256, { message: 'okExitCodes may hold at most 256 items' })
  @IsInt({ each: true, ...numbers('okExitCodes') })
  okExitCodes?: number[];

  /** Exit codes that mean success too; when there are any, only these count as a change. */
  @Maybe()
  @IsArray(numbers('changedExitCodes'))
  @ArrayMaxSize(256, { message: 'changedExitCodes may hold at most 256 items' })
  @IsInt({ each: true, ...numbers('changedExitCodes') })
  changedExitCodes?: number[];

  /** Where this command succeeds, the step is skipped. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @AnyText(65_536)
  unless?: string | null;

  /** Command for dry runs that changes nothing: it ends with 0 when there is nothing to change, with 1 when there is. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @AnyText(65_536)
  check?: string | null;

  /** Never changes anything. */
  @YesNo()
  readOnly?: boolean;

  /** May be started again by itself after it was lost. */
  @YesNo()
  idempotent?: boolean;

  /** Names that the command may set by writing `name=value` lines to the file `$RUNWARD_OUTPUT`. */
  @Maybe()
  @IsArray(texts('outputs'))
  @ArrayMaxSize(100, { message: 'outputs may hold at most 100 items' })
  @IsString({ each: true, ...texts('outputs') })
  outputs?: string[];

  /** TCP port of the host that a step of type wait waits for. */
  @ApiProperty({ type: Number, nullable: true, required: false })
  @MaybeNull()
  @IsInt(whole('port'))
  port?: number | null;

  /** URL that a step of type wait waits for, asked from the host. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @MaybeNull()
  @Line(2000)
  url?: string | null;

  /** Plan whose steps run in the place of a step of type plan; every one has it. */
  @Maybe()
  @RecordId()
  planId?: string;

  /** Values for variables of the called plan. The text `{{ name }}` stands for the variable of that name of this plan. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { release: '{{ version }}' } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /** Outputs of a step of type plan, each with the step of the called plan and its output that it comes from. */
  @ApiPropertyOptional({ ...TEXT_MAP_SCHEMA, example: { address: 'deploy.address' } })
  @Maybe()
  @IsTextMap()
  outputsFrom?: Record<string, string>;

  /** The step runs once for each item, which is `{{ item }}`: the name of a variable of type list, or the items. */
  @ApiProperty({ ...FOR_EACH_SCHEMA, required: false })
  @MaybeNull()
  @IsForEach()
  forEach?: string | string[] | null;

  /** What a step of type gate asks of the person. */
  @Maybe()
  @FreeText(2000)
  message?: string;

  /** Of a gate: it stands for work that the plan lacks. A dry run is blocked here, and no rerun begins after it. */
  @YesNo()
  placeholder?: boolean;
}
