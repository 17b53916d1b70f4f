import type { ProblemItem } from '../../common/errors/problem-item.js';
import { toPointerPart } from '../../common/text/shorten.js';
import { findNameFault } from '../../variables/variable-name.js';
import { MAX_VALUE_LENGTH } from '../../variables/variable-value.js';
import { findExitCodeProblems } from './check-numbers.js';
import type { Faults } from './faults.js';
import { findTooManyInText } from './insertions.js';
import type { CommandStep, ProgramFields } from '../steps/plan-content.js';
import type { EarlierStep } from '../rendering/command-facts.js';
import { checkCommandTemplate, type CommandName } from '../rendering/render-command.js';

const MAX_COMMAND_BYTES = 65_536;
const MAX_ENVIRONMENT_VARIABLES = 100;
const MAX_OUTPUTS = 100;
const MAX_PATH_LENGTH = 4096;
const USER_NAME_PATTERN = /^[a-z_][a-z0-9_-]{0,31}$/;
const OUTPUT_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export interface CheckContext {
  readonly names: readonly CommandName[];
  readonly earlier: readonly EarlierStep[];
  readonly path: string;
}

export function* checkCommandStep(step: CommandStep, known: CheckContext): Faults {
  yield* findTemplateProblems(step.command, atField(known, 'command'), 'Write the command that this step runs.');
  yield* findProgramProblems(step, known);
}

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

export function* findUnlessProblems(unless: string | null, known: CheckContext): Faults {
  const advice = 'Write a command that decides whether to skip the step, or omit the field.';
  if (unless !== null) yield* findTemplateProblems(unless, atField(known, 'unless'), advice);
}

export const atField = (known: CheckContext, field: string): CheckContext => ({
  ...known,
  path: `${known.path}/${field}`,
});

/** @param required message for a blank template */
export function* findTemplateProblems(text: string, known: CheckContext, required: string): Faults {
  // Lets other work run: validating a long text takes milliseconds, and a plan may have many.
  yield null;
  yield* findTextProblems(text, known, required);
}

function findTextProblems(text: string, { names, earlier, path }: CheckContext, required: string): ProblemItem[] {
  if (text.trim() === '') return [{ path, code: 'required', message: required }];
  if (Buffer.byteLength(text) > MAX_COMMAND_BYTES) {
    const message = `A command has at most ${MAX_COMMAND_BYTES / 1024} KiB. Put longer text into a script.`;
    return [{ path, code: 'too_long', message }];
  }
  if (/[\0\p{Surrogate}]/u.test(text)) {
    const message = 'Remove the NUL or the unpaired surrogate from the command; no shell accepts it.';
    return [{ path, code: 'invalid_text', message }];
  }
  const tooMany = findTooManyInText(text, path);
  return tooMany ? [tooMany] : checkCommandTemplate(text, names, path, earlier);
}

export function findBecomeProblems(user: string | null, path: string): ProblemItem[] {
  if (user === null || USER_NAME_PATTERN.test(user)) return [];
  const message =
    'Send true for root, or the name of a user: 1 to 32 lower-case letters, digits, - or _, starting with a letter or _.';
  return [{ path, code: 'invalid_user', message }];
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
  if (entries.length > MAX_ENVIRONMENT_VARIABLES)
    return [
      { path, code: 'too_many', message: `A step sets at most ${MAX_ENVIRONMENT_VARIABLES} variables of its own.` },
    ];
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
