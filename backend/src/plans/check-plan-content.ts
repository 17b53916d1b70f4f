import type { ProblemItem } from '../common/errors/problem-item.js';
import { RUN_MODES } from '../environments/environments.dto.js';
import { parseSelector, type Selector, SelectorError } from '../inventory/selector.js';
import { canMatch } from '../inventory/selector-conflict.js';
import { percentProblems, timeoutProblems } from './check-numbers.js';
import { checkStep } from './check-step.js';
import { stepLinkProblems } from './check-step-links.js';
import type { PlanContent, PlanStep } from './plan-content.js';
import { checkDefinitions } from './variables/variable-definition.js';

export const MAX_STEPS = 100;
export const MAX_PROBLEMS = 100;
const MAX_LOCKS = 20;
const LOCK = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Every fault of a plan's content, each with a JSON pointer into it. An empty list means that it may be saved. */
export function checkPlanContent(content: PlanContent): ProblemItem[] {
  const targets = readSelector(content.targets, '/targets');
  const problems = [
    ...targets.problems,
    ...contradiction(targets.selector, content.targets),
    ...(content.timeoutSeconds === null ? [] : timeoutProblems(content.timeoutSeconds, '/timeoutSeconds')),
    ...percentProblems(content.maxFailPercent, '/maxFailPercent'),
    ...lockProblems(content.locks),
    ...modeProblems(content.allowedModes),
    ...checkDefinitions(content.variables),
    ...stepsProblems(content, targets.selector),
  ];
  return problems.slice(0, MAX_PROBLEMS);
}

function stepsProblems({ steps, variables, targets }: PlanContent, planSelector: Selector | null): ProblemItem[] {
  if (steps.length === 0)
    return [{ path: '/steps', code: 'required', message: 'Add at least one step: a plan without steps does nothing.' }];
  if (steps.length > MAX_STEPS) {
    const message = `A plan has at most ${MAX_STEPS} steps; here are ${steps.length}. Split it into several plans.`;
    return [{ path: '/steps', code: 'too_many', message }];
  }
  const names = variables.map(({ name, type }) => ({ name, secret: type === 'secret' }));
  return steps.flatMap((step, index) => {
    const path = `/steps/${index}`;
    const problems = [
      ...checkStep(step, { names, earlier: steps.slice(0, index), path }),
      ...stepLinkProblems(steps, index),
      ...targetProblems(step, { selector: planSelector, targets }, `${path}/targets`),
    ];
    const called = step.key.trim() === '' ? `Step ${index + 1}` : `Step "${step.key}"`;
    return problems.map((problem) => ({ ...problem, message: `${called}: ${problem.message}` }));
  });
}

function targetProblems(
  step: PlanStep,
  plan: { selector: Selector | null; targets: string },
  path: string,
): ProblemItem[] {
  const { selector, problems } = readSelector(step.targets, path);
  // What the plan's own targets contradict is told there.
  if (!selector || !plan.selector || !canMatch(plan.selector, EVERYTHING) || canMatch(plan.selector, selector))
    return problems;
  const message = canMatch(selector, EVERYTHING)
    ? `No server can match both the plan's targets (${plan.targets}) and the step's (${step.targets}), so the step would never run. Widen one of them.`
    : neverMatches(step.targets);
  return [{ path, code: 'unreachable_selector', message }];
}

const EVERYTHING: Selector = { requirements: [] };
const neverMatches = (targets: string) =>
  `No server can match ${targets}, because its conditions exclude one another. Take one of them out.`;

function contradiction(selector: Selector | null, targets: string): ProblemItem[] {
  if (!selector || canMatch(selector, EVERYTHING)) return [];
  return [{ path: '/targets', code: 'unreachable_selector', message: neverMatches(targets) }];
}

function readSelector(text: string, path: string): { selector: Selector | null; problems: ProblemItem[] } {
  try {
    return { selector: parseSelector(text), problems: [] };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return { selector: null, problems: [{ path, code: 'invalid_selector', message: error.message }] };
  }
}

function lockProblems(locks: readonly string[]): ProblemItem[] {
  if (locks.length > MAX_LOCKS)
    return [
      {
        path: '/locks',
        code: 'too_many',
        message: `A plan holds at most ${MAX_LOCKS} locks; here are ${locks.length}.`,
      },
    ];
  return locks.flatMap((lock, index): ProblemItem[] => {
    const path = `/locks/${index}`;
    if (!LOCK.test(lock)) {
      const message =
        'The name of a lock has 1 to 63 letters, digits, ".", "_" or "-" and starts with a letter or digit, such as database-migration.';
      return [{ path, code: 'invalid_name', message }];
    }
    const first = locks.indexOf(lock) === index;
    return first
      ? []
      : [{ path, code: 'duplicate_name', message: `The lock "${lock}" stands here twice. Take one out.` }];
  });
}

function modeProblems(modes: readonly string[]): ProblemItem[] {
  const known: readonly string[] = RUN_MODES;
  return modes.flatMap((mode, index) =>
    known.includes(mode)
      ? []
      : [{ path: `/allowedModes/${index}`, code: 'not_allowed_value', message: `The modes are ${known.join(', ')}.` }],
  );
}
