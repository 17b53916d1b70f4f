import type { ProblemItem } from '../../common/errors/problem-item.js';
import { RUN_MODES } from '../../environments/environments.dto.js';
import { type Selector, SelectorError, parseNewSelector } from '../../inventory/selectors/selector.js';
import { canMatchBoth } from '../../inventory/selectors/selector-conflict.js';
import { findPercentProblems, findTimeoutProblems } from '../steps/fields/numbers.js';
import { checkStep } from './check-step.js';
import { findStepLinkProblems } from './check-step-links.js';
import { type Faults, takeFirstFaults, takeFirstFaultsInTurns } from '../steps/fields/faults.js';
import { countInsertions } from '../steps/fields/texts.js';
import type { PlanContent } from '../steps/plan-content.js';
import { getDefinition, type WrittenStep } from '../steps/types/step-types.js';
import { findDefinitionFaults } from '../variables/variable-definition.js';

const MAX_STEPS = 100;
const MAX_INSERTIONS_PER_PLAN = 2000;
export const MAX_PROBLEMS = 20;
const MAX_LOCKS = 20;
const LOCK_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Returns the first faults, each with a JSON pointer. Without faults, the plan may be saved. */
export const checkPlanContent = (content: PlanContent): ProblemItem[] =>
  takeFirstFaults(findPlanFaults(content), MAX_PROBLEMS);

/**
 * Like `checkPlanContent`, but yields to the event loop between texts, for large plans. `earlier` faults come first.
 */
export const checkPlanContentInTurns = (
  content: PlanContent,
  earlier: readonly ProblemItem[] = [],
): Promise<ProblemItem[]> => takeFirstFaultsInTurns(joinFaults(earlier, findPlanFaults(content)), MAX_PROBLEMS);

function* joinFaults(earlier: readonly ProblemItem[], later: Faults): Faults {
  yield* earlier;
  yield* later;
}

function* findPlanFaults(content: PlanContent): Faults {
  const targets = parseSelectorWithProblems(content.targets, '/targets');
  yield* targets.problems;
  yield* findContradictionProblems(targets.selector, content.targets);
  if (content.timeoutSeconds !== null) yield* findTimeoutProblems(content.timeoutSeconds, '/timeoutSeconds');
  yield* findPercentProblems(content.maxFailPercent, '/maxFailPercent');
  yield* findLockProblems(content.locks);
  yield* findModeProblems(content.allowedModes);
  yield* findDefinitionFaults(content.variables);
  yield* findStepsProblems(content, targets.selector);
}

function* findStepsProblems({ steps, variables, targets }: PlanContent, planSelector: Selector | null): Faults {
  if (steps.length === 0) {
    yield { path: '/steps', code: 'required', message: 'Add at least one step: a plan without steps does nothing.' };
    return;
  }
  if (steps.length > MAX_STEPS) {
    const message = `A plan can have at most ${MAX_STEPS} steps (got ${steps.length}). Split it into several plans.`;
    yield { path: '/steps', code: 'too_many', message };
    return;
  }
  const tooMany = findTooManyInPlan(steps.reduce((sum, step) => sum + countStepInsertions(step), 0));
  if (tooMany) {
    yield tooMany;
    return;
  }
  for (const [index, step] of steps.entries()) {
    const called = step.key.trim() === '' ? `Step ${index + 1}` : `Step "${step.key}"`;
    for (const fault of stepFaults(step, index)) yield fault && { ...fault, message: `${called}: ${fault.message}` };
  }

  function* stepFaults(step: WrittenStep, index: number): Faults {
    const path = `/steps/${index}`;
    yield* checkStep(step, { variables, earlier: steps.slice(0, index), path });
    yield* findStepLinkProblems(steps, index);
    yield* findTargetProblems(step, { selector: planSelector, targets }, `${path}/targets`);
    yield null;
  }
}

const countStepInsertions = (step: WrittenStep): number =>
  getDefinition(step)
    .listTexts(step)
    .reduce((sum, text) => sum + (text === null ? 0 : countInsertions(text)), 0);

function findTooManyInPlan(count: number): ProblemItem | null {
  if (count <= MAX_INSERTIONS_PER_PLAN) return null;
  const message = `The texts of this plan have ${count} insertions {{ … }} or {% … %} in total, but a plan can have at most ${MAX_INSERTIONS_PER_PLAN}. Use exported variables such as $name, or templates of the library.`;
  return { path: '/steps', code: 'too_many', message };
}

function findTargetProblems(
  step: WrittenStep,
  plan: { selector: Selector | null; targets: string },
  path: string,
): ProblemItem[] {
  const { selector, problems } = parseSelectorWithProblems(step.targets, path);
  // A contradiction within the plan's own targets is reported at the plan.
  if (
    !selector ||
    !plan.selector ||
    !canMatchBoth(plan.selector, ALL_HOSTS_SELECTOR) ||
    canMatchBoth(plan.selector, selector)
  )
    return problems;
  const message = canMatchBoth(selector, ALL_HOSTS_SELECTOR)
    ? `No server can match both the plan's targets (${plan.targets}) and the step's (${step.targets}), so the step would never run. Widen one of them.`
    : describeContradiction(step.targets);
  return [{ path, code: 'unreachable_selector', message }];
}

const ALL_HOSTS_SELECTOR: Selector = { requirements: [] };
const describeContradiction = (targets: string) =>
  `No server can match ${targets}, because its conditions exclude one another. Remove one of them.`;

function findContradictionProblems(selector: Selector | null, targets: string): ProblemItem[] {
  if (!selector || canMatchBoth(selector, ALL_HOSTS_SELECTOR)) return [];
  return [{ path: '/targets', code: 'unreachable_selector', message: describeContradiction(targets) }];
}

function parseSelectorWithProblems(text: string, path: string): { selector: Selector | null; problems: ProblemItem[] } {
  try {
    return { selector: parseNewSelector(text), problems: [] };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return { selector: null, problems: [{ path, code: 'invalid_selector', message: error.message }] };
  }
}

function findLockProblems(locks: readonly string[]): ProblemItem[] {
  if (locks.length > MAX_LOCKS)
    return [
      {
        path: '/locks',
        code: 'too_many',
        message: `A plan can have at most ${MAX_LOCKS} locks (got ${locks.length}).`,
      },
    ];
  return locks.flatMap((lock, index): ProblemItem[] => {
    const path = `/locks/${index}`;
    if (!LOCK_NAME_PATTERN.test(lock)) {
      const message =
        'The name of a lock has 1 to 63 letters, digits, ".", "_" or "-" and starts with a letter or digit, such as database-migration.';
      return [{ path, code: 'invalid_name', message }];
    }
    const first = locks.indexOf(lock) === index;
    return first
      ? []
      : [{ path, code: 'duplicate_name', message: `The lock "${lock}" occurs here twice. Remove one.` }];
  });
}

function findModeProblems(modes: readonly string[]): ProblemItem[] {
  const known: readonly string[] = RUN_MODES;
  return modes.flatMap((mode, index) =>
    known.includes(mode)
      ? []
      : [{ path: `/allowedModes/${index}`, code: 'not_allowed_value', message: `The modes are ${known.join(', ')}.` }],
  );
}
