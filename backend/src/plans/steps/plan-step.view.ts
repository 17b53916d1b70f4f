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
import { VALUE_SCHEMA } from '../../common/variables/value-schema.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import { BATCH_SCHEMA, FOR_EACH_SCHEMA, TEXT_MAP_SCHEMA } from './plan-step.fields.js';

export class StepRetriesView {
  count: number;
  delaySeconds: number;
  @ApiProperty({ enum: BACKOFFS })
  backoff: (typeof BACKOFFS)[number];
}

/** The last fields stand only in steps of the type they belong to. */
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
  /** Hosts at a time: a number, or a share of them such as `25%`. */
  @ApiProperty(BATCH_SCHEMA)
  batch: number | string | null;
  @ApiProperty({ type: Number, nullable: true })
  maxFailPercent: number | null;
  @ApiProperty({ enum: [...FAILURE_POLICIES, null], type: String, nullable: true })
  onFailure: FailurePolicy | null;
  always: boolean;
  confirm: boolean;
  onlyIfChanged: string[];
  /** Of all types but gate: the name of a variable of type list, or the items; null: the step runs once. */
  @ApiPropertyOptional(FOR_EACH_SCHEMA)
  forEach?: string | string[] | null;

  /** Of the type command. */
  command?: string;

  /** Of the type script, as `arguments` and `interpreter`. */
  scriptId?: string;
  arguments?: string[];
  /** Null: the script's own. */
  @ApiProperty({ type: String, nullable: true, required: false })
  interpreter?: string | null;

  /** Of the types command and script, as all up to `outputs`; `become` and `unless` of the type template too. */
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

  /** Of the type file, as `sourcePath` and `ref`. */
  gitSourceId?: string;
  sourcePath?: string;
  /** Null: the branch of the source. */
  @ApiProperty({ type: String, nullable: true, required: false })
  ref?: string | null;

  /** Of the type template. All from `path` up to `backup` are of the types template and file. */
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

  /** Of the type wait, as `url`; one of them is null. */
  @ApiProperty({ type: Number, nullable: true, required: false })
  port?: number | null;
  @ApiProperty({ type: String, nullable: true, required: false })
  url?: string | null;

  /** Of the type gate, as `placeholder`. */
  message?: string;
  /** Stands for work that the plan lacks: a dry run is blocked here, and no rerun begins after it. */
  placeholder?: boolean;

  /** Of the type plan, as `variables` and `outputsFrom`. */
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
  retries: step.retries && retriesView(step.retries),
  batch: step.batch === null || step.batch.endsWith('%') ? step.batch : Number(step.batch),
  maxFailPercent: step.maxFailPercent,
  onFailure: step.onFailure,
  always: step.always,
  confirm: step.confirm,
  onlyIfChanged: step.onlyIfChanged,
  ...(step.type === 'gate' ? {} : { forEach: step.forEach ?? null }),
  ...ownFields(step),
});

const retriesView = ({ count, delaySeconds, backoff }: StepRetries): StepRetriesView => ({
  count,
  delaySeconds,
  backoff,
});

function ownFields(step: WrittenStep): Partial<PlanStepView> {
  switch (step.type) {
    case 'command':
      return { command: step.command, ...programFields(step) };
    case 'script':
      return {
        scriptId: step.scriptId,
        arguments: step.arguments,
        interpreter: step.interpreter,
        ...programFields(step),
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

const programFields = (step: ProgramFields): ProgramFields => ({
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
