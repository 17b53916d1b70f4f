import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  BACKOFFS,
  FAILURE_POLICIES,
  type FailurePolicy,
  type ProgramFields,
  type StepRetries,
  STEP_TYPES,
  type StepType,
  type WrittenStep,
} from './plan-content.js';
import { VALUE_SCHEMA } from '../../variables/value-schema.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { BATCH_SCHEMA, FOR_EACH_SCHEMA, TEXT_MAP_SCHEMA } from './plan-step.fields.js';

export class StepRetriesView {
  count: number;
  delaySeconds: number;
  @ApiProperty({ enum: BACKOFFS })
  backoff: (typeof BACKOFFS)[number];
}

/** Step of a plan. The last fields are only in steps of their type. */
export class PlanStepView {
  /** @example "restart" */
  key: string;
  name: string;
  @ApiProperty({ enum: STEP_TYPES })
  type: StepType;
  targets: string;
  timeoutSeconds: number;
  runOnce: boolean;
  @ApiProperty({ type: String, nullable: true })
  when: string | null;
  @ApiProperty({ type: StepRetriesView, nullable: true })
  retries: StepRetriesView | null;
  /** Number of hosts at a time, or a percentage such as `25%`. */
  @ApiProperty(BATCH_SCHEMA)
  batch: number | string | null;
  @ApiProperty({ type: Number, nullable: true })
  maxFailPercent: number | null;
  @ApiProperty({ enum: [...FAILURE_POLICIES, null], type: String, nullable: true })
  onFailure: FailurePolicy | null;
  always: boolean;
  confirm: boolean;
  onlyIfChanged: string[];
  /** All types except gate: name of a variable of type list, or the items; null = runs once. */
  @ApiPropertyOptional(FOR_EACH_SCHEMA)
  forEach?: string | string[] | null;

  /** Type command. */
  command?: string;

  /** Type script, like `arguments` and `interpreter`. */
  scriptId?: string;
  arguments?: string[];
  /** Null = the script's own. */
  @ApiProperty({ type: String, nullable: true, required: false })
  interpreter?: string | null;

  /** Types command and script, like all fields up to `outputs`; `become` and `unless` also type template. */
  @ApiProperty({ type: String, nullable: true, required: false })
  become?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  workingDirectory?: string | null;
  @ApiPropertyOptional(TEXT_MAP_SCHEMA)
  environment?: Record<string, string>;
  okExitCodes?: number[];
  changedExitCodes?: number[];
  @ApiProperty({ type: String, nullable: true, required: false })
  unless?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  check?: string | null;
  readOnly?: boolean;
  idempotent?: boolean;
  outputs?: string[];

  /** Type file, like `sourcePath` and `ref`. */
  gitSourceId?: string;
  sourcePath?: string;
  /** Null = the branch of the source. */
  @ApiProperty({ type: String, nullable: true, required: false })
  ref?: string | null;

  /** Type template. All fields from `path` to `backup` belong to types template and file. */
  templateId?: string;
  path?: string;
  @ApiProperty({ type: String, nullable: true, required: false })
  owner?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  group?: string | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  mode?: string | null;
  backup?: boolean;
  @ApiProperty({ type: String, nullable: true, required: false })
  validate?: string | null;

  /** Type wait, like `url`; one of them is null. */
  @ApiProperty({ type: Number, nullable: true, required: false })
  port?: number | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  url?: string | null;

  /** Type gate, like `placeholder`. */
  message?: string;
  /** Marks work that the plan lacks: a dry run is blocked here, and no rerun can begin after it. */
  placeholder?: boolean;

  /** Type plan, like `variables` and `outputsFrom`. */
  planId?: string;
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { release: '{{ version }}' } })
  variables?: Record<string, VariableValue>;
  @ApiPropertyOptional({ ...TEXT_MAP_SCHEMA, example: { address: 'deploy.address' } })
  outputsFrom?: Record<string, string>;
}

export const toPlanStepView = (step: WrittenStep): PlanStepView => ({
  key: step.key,
  name: step.name,
  type: step.type,
  targets: step.targets,
  timeoutSeconds: step.timeoutSeconds,
  runOnce: step.runOnce,
  when: step.when,
  retries: step.retries && toRetriesView(step.retries),
  batch: step.batch === null || step.batch.endsWith('%') ? step.batch : Number(step.batch),
  maxFailPercent: step.maxFailPercent,
  onFailure: step.onFailure,
  always: step.always,
  confirm: step.confirm,
  onlyIfChanged: step.onlyIfChanged,
  ...(step.type === 'gate' ? {} : { forEach: step.forEach ?? null }),
  ...pickTypeFields(step),
});

const toRetriesView = ({ count, delaySeconds, backoff }: StepRetries): StepRetriesView => ({
  count,
  delaySeconds,
  backoff,
});

function pickTypeFields(step: WrittenStep): Partial<PlanStepView> {
  switch (step.type) {
    case 'command':
      return { command: step.command, ...pickProgramFields(step) };
    case 'script':
      return {
        scriptId: step.scriptId,
        arguments: step.arguments,
        interpreter: step.interpreter,
        ...pickProgramFields(step),
      };
    case 'template':
      return {
        templateId: step.templateId,
        path: step.path,
        owner: step.owner,
        group: step.group,
        mode: step.mode,
        backup: step.backup,
        validate: step.validate,
        become: step.become,
        unless: step.unless,
      };
    case 'file':
      return {
        gitSourceId: step.gitSourceId,
        sourcePath: step.sourcePath,
        ref: step.ref,
        path: step.path,
        owner: step.owner,
        group: step.group,
        mode: step.mode,
        backup: step.backup,
        become: step.become,
        unless: step.unless,
      };
    case 'wait':
      return { port: step.port, url: step.url };
    case 'gate':
      return { message: step.message, placeholder: step.placeholder ?? false };
    case 'plan':
      return { planId: step.planId, variables: step.variables, outputsFrom: step.outputsFrom };
  }
}

const pickProgramFields = (step: ProgramFields): ProgramFields => ({
  become: step.become,
  workingDirectory: step.workingDirectory,
  environment: step.environment,
  okExitCodes: step.okExitCodes,
  changedExitCodes: step.changedExitCodes,
  unless: step.unless,
  check: step.check,
  readOnly: step.readOnly,
  idempotent: step.idempotent,
  outputs: step.outputs,
});
