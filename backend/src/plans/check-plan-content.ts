import type { ProblemItem } from '../common/errors/problem-item.js';
import { parseSelector, SelectorError } from '../inventory/selector.js';
import type { PlanContent, PlanStep } from './plan-content.js';
import { type CommandName, checkCommandTemplate } from './variables/render-command.js';
import { checkDefinitions } from './variables/variable-definition.js';

export const MAX_STEPS = 100;
export const MAX_COMMAND_BYTES = 65_536;
export const MAX_TIMEOUT_SECONDS = 86_400;

const STEP_KEY = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const MAX_STEP_NAME = 200;
export const MAX_PROBLEMS = 100;

/** Every fault of a plan's content, each with a JSON pointer into it. An empty list means that it may be saved. */
export function checkPlanContent(content: PlanContent): ProblemItem[] {
  const problems = [
    ...selectorProblems(content.targets, '/targets'),
    ...(content.timeoutSeconds === null ? [] : timeoutProblems(content.timeoutSeconds, '/timeoutSeconds')),
    ...checkDefinitions(content.variables),
    ...stepsProblems(content),
  ];
  return problems.slice(0, MAX_PROBLEMS);
}

function stepsProblems({ steps, variables }: PlanContent): ProblemItem[] {
  if (steps.length === 0)
    return [{ path: '/steps', code: 'required', message: 'Add at least one step: a plan without steps does nothing.' }];
  if (steps.length > MAX_STEPS) {
    return [
      {
        path: '/steps',
        code: 'too_many',
        message: `A plan has at most ${MAX_STEPS} steps; here are ${steps.length}. Split it into several plans.`,
      },
    ];
  }
  const names = variables.map(({ name, type }) => ({ name, secret: type === 'secret' }));
  const keys = new Set<string>();
  return steps.flatMap((step, index) => {
    const problems = stepProblems(step, names, `/steps/${index}`);
    if (keys.has(step.key)) {
      const message = `Another step has the key "${step.key}". Give this one its own.`;
      problems.push({ path: `/steps/${index}/key`, code: 'duplicate_key', message });
    }
    keys.add(step.key);
    return problems;
  });
}

function stepProblems(step: PlanStep, names: readonly CommandName[], path: string): ProblemItem[] {
  const problems: ProblemItem[] = [];
  if (!STEP_KEY.test(step.key)) {
    const message =
      'A key has 1 to 63 small letters, digits, - or _ and starts with a letter or digit, such as restart-web.';
    problems.push({ path: `${path}/key`, code: 'invalid_key', message });
  }
  if (step.name.trim() === '' || step.name.length > MAX_STEP_NAME) {
    problems.push({
      path: `${path}/name`,
      code: 'invalid_name',
      message: `Give the step a name of 1 to ${MAX_STEP_NAME} characters.`,
    });
  }
  if (step.type === 'command') problems.push(...commandProblems(step.command, names, `${path}/command`));
  problems.push(...selectorProblems(step.targets, `${path}/targets`));
  problems.push(...timeoutProblems(step.timeoutSeconds, `${path}/timeoutSeconds`));
  return problems;
}

function commandProblems(command: string, names: readonly CommandName[], path: string): ProblemItem[] {
  if (command.trim() === '') return [{ path, code: 'required', message: 'Write the command that this step runs.' }];
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    return [
      {
        path,
        code: 'too_long',
        message: `A command has at most ${MAX_COMMAND_BYTES / 1024} KiB. Put longer text into a script.`,
      },
    ];
  }
  if (/[\0\p{Surrogate}]/u.test(command)) {
    return [
      {
        path,
        code: 'invalid_text',
        message: 'Remove the NUL or the half of a character from the command; no shell can take it.',
      },
    ];
  }
  return checkCommandTemplate(command, names, path);
}

function selectorProblems(selector: string, path: string): ProblemItem[] {
  try {
    parseSelector(selector);
    return [];
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return [{ path, code: 'invalid_selector', message: error.message }];
  }
}

function timeoutProblems(seconds: number, path: string): ProblemItem[] {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_TIMEOUT_SECONDS) return [];
  return [
    {
      path,
      code: 'invalid_timeout',
      message: `Give a whole number of seconds from 1 to ${MAX_TIMEOUT_SECONDS} (a day).`,
    },
  ];
}
