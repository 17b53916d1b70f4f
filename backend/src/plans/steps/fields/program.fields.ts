import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsInt, IsString } from 'class-validator';
import type { ProblemItem } from '../../../common/errors/problem-item.js';
import { toPointerPart } from '../../../common/text/shorten.js';
import {
  IsNullableField,
  IsOptionalField,
  IsText,
  OptionalBoolean,
  OptionalTextLine,
  TextItems,
} from '../../../common/http/fields.js';
import { findNameFault } from '../../../variables/variable-name.js';
import { MAX_VALUE_LENGTH } from '../../../variables/variable-value.js';
import type { CommandName } from '../../rendering/render-command.js';
import type { Faults } from './faults.js';
import {
  IsTextMap,
  MAX_TEXT_MAP_ENTRIES,
  toTextMapSchema,
  textListMessage,
  wholeNumbersMessage,
} from './field-decorators.js';
import { EXIT_CODE_LIMITS, findExitCodeProblems } from './numbers.js';
import { findBecomeProblems, findUnlessProblems, type StartFields } from './start.fields.js';
import { atField, type CheckContext, findTemplateProblems } from './texts.js';

const MAX_OUTPUTS = 100;
const MAX_PATH_LENGTH = 4096;
const OUTPUT_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Fields of each type that runs a command or script of the user. */
export interface ProgramFields extends StartFields {
  workingDirectory: string | null;
  /** Environment variables. They are not secret and not templates. */
  environment: Record<string, string>;
  okExitCodes: number[];
  /** Further exit codes that mean success. If there are any, only these count as a change. */
  changedExitCodes: number[];
  /** Command template for dry runs. Exit code 0 = no change, 1 = would change, other = unknown. */
  check: string | null;
  readOnly: boolean;
  /** Whether the step may be restarted automatically after its connection was lost. */
  idempotent: boolean;
  outputs: string[];
}

export const PROGRAM_DEFAULTS: ProgramFields & { timeoutSeconds: number } = {
  timeoutSeconds: 600,
  become: null,
  workingDirectory: null,
  environment: {},
  okExitCodes: [0],
  changedExitCodes: [],
  unless: null,
  check: null,
  readOnly: false,
  idempotent: false,
  outputs: [],
};

export class ProgramFieldsRequest {
  /** Absolute path. */
  @ApiProperty({ type: String, nullable: true, required: false })
  @IsNullableField()
  @OptionalTextLine(4096)
  workingDirectory?: string | null;

  /**
   * Further environment variables of the command. Do not use secrets: every member who can see the plan can see them.
   */
  @ApiPropertyOptional(toTextMapSchema(MAX_VALUE_LENGTH))
  @IsOptionalField()
  @IsTextMap()
  environment?: Record<string, string>;

  /** Exit codes that mean success. */
  @IsOptionalField()
  @IsArray(wholeNumbersMessage('okExitCodes'))
  @ArrayMaxSize(256, { message: 'okExitCodes may hold at most 256 items' })
  @ApiProperty({ type: [Number], items: { type: 'integer', ...EXIT_CODE_LIMITS }, required: false })
  @IsInt({ each: true, ...wholeNumbersMessage('okExitCodes') })
  okExitCodes?: number[];

  /** Exit codes that also mean success. If any are set, only these count as a change. */
  @IsOptionalField()
  @IsArray(wholeNumbersMessage('changedExitCodes'))
  @ArrayMaxSize(256, { message: 'changedExitCodes may hold at most 256 items' })
  @ApiProperty({ type: [Number], items: { type: 'integer', ...EXIT_CODE_LIMITS }, required: false })
  @IsInt({ each: true, ...wholeNumbersMessage('changedExitCodes') })
  changedExitCodes?: number[];

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
  @TextItems(64)
  outputs?: string[];
}

export class ProgramFieldsView {
  /** Types that run a command or script of the user. */
  @ApiProperty({ type: String, nullable: true, required: false })
  workingDirectory?: string | null;
  @ApiPropertyOptional(toTextMapSchema(MAX_VALUE_LENGTH))
  environment?: Record<string, string>;
  okExitCodes?: number[];
  changedExitCodes?: number[];
  @ApiProperty({ type: String, nullable: true, required: false })
  check?: string | null;
  readOnly?: boolean;
  idempotent?: boolean;
  outputs?: string[];
}

export const PROGRAM = { request: ProgramFieldsRequest, view: ProgramFieldsView } as const;

export function* findProgramProblems(step: ProgramFields, known: CheckContext): Faults {
  const { names, path } = known;
  yield* findUnlessProblems(step.unless, known);
  if (step.check !== null) {
    const advice = 'Write a command that reports what a run would change, or omit the field.';
    yield* findTemplateProblems(step.check, atField(known, 'check'), advice);
  }
  yield* findBecomeProblems(step.become, `${path}/become`);
  yield* findDirectoryProblems(step.workingDirectory, `${path}/workingDirectory`);
  yield* findEnvironmentProblems(step.environment, names, `${path}/environment`);
  if (step.okExitCodes.length === 0) yield noSuccessProblem(`${path}/okExitCodes`);
  yield* findExitCodeProblems(step.okExitCodes, `${path}/okExitCodes`);
  yield* findExitCodeProblems(step.changedExitCodes, `${path}/changedExitCodes`);
  yield* findOutputProblems(step.outputs, `${path}/outputs`);
}

function findDirectoryProblems(directory: string | null, path: string): ProblemItem[] {
  if (
    directory === null ||
    (directory.startsWith('/') && directory.length <= MAX_PATH_LENGTH && !/\p{Cc}/u.test(directory))
  )
    return [];
  const message = 'Send the absolute path of a directory on the host, such as /srv/app.';
  return [{ path, code: 'invalid_path', message }];
}

function findEnvironmentProblems(
  environment: Record<string, string>,
  names: readonly CommandName[],
  path: string,
): ProblemItem[] {
  const entries = Object.entries(environment);
  if (entries.length > MAX_TEXT_MAP_ENTRIES)
    return [{ path, code: 'too_many', message: `A step sets at most ${MAX_TEXT_MAP_ENTRIES} variables of its own.` }];
  return entries.flatMap(([name, value]): ProblemItem[] => {
    const at = `${path}/${toPointerPart(name)}`;
    const fault = findNameFault(name);
    if (fault) return [{ path: at, code: 'invalid_name', message: fault }];
    if (names.some((each) => each.name === name)) {
      const message = `The plan has a variable "${name}", which every command already gets. Choose another name.`;
      return [{ path: at, code: 'duplicate_name', message }];
    }
    if (value.length <= MAX_VALUE_LENGTH && !/[\0\p{Surrogate}]/u.test(value)) return [];
    const message = `A value has at most ${MAX_VALUE_LENGTH} characters, and neither NUL nor unpaired surrogates.`;
    return [{ path: at, code: 'invalid_text', message }];
  });
}

const noSuccessProblem = (path: string): ProblemItem => ({
  path,
  code: 'required',
  message: 'List at least one exit code that means success, such as 0. Otherwise the step always fails.',
});

function findOutputProblems(outputs: readonly string[], path: string): ProblemItem[] {
  if (outputs.length > MAX_OUTPUTS)
    return [
      { path, code: 'too_many', message: `A step can have at most ${MAX_OUTPUTS} outputs (got ${outputs.length}).` },
    ];
  return outputs.flatMap((name, index): ProblemItem[] => {
    const at = `${path}/${index}`;
    if (!OUTPUT_NAME_PATTERN.test(name) || name in Object.prototype) {
      const message =
        'The name of an output starts with a letter or _, continues with letters, digits or _, and has at most 64 characters, such as app_version.';
      return [{ path: at, code: 'invalid_name', message }];
    }
    if (outputs.indexOf(name) === index) return [];
    return [{ path: at, code: 'duplicate_name', message: `The output "${name}" occurs here twice. Remove one.` }];
  });
}
