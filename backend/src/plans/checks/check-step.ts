import type { ProblemItem } from '../../common/errors/problem-item.js';
import {
  findPercentProblems,
  findRangeProblems,
  findTimeoutProblems,
  RETRY_DELAY_LIMITS,
  RETRY_LIMITS,
} from '../steps/fields/numbers.js';
import type { Faults } from '../steps/fields/faults.js';
import { checkForEach, ITEM_VARIABLE } from '../steps/fields/loop.fields.js';
import type { StepRetries } from '../steps/fields/step-base.js';
import { getDefinition, listOutputs, type WrittenStep } from '../steps/types/step-types.js';
import type { VariableDefinition } from '../variables/variable-definition.js';
import type { EarlierStep } from '../rendering/command-facts.js';
import { checkCondition } from '../rendering/condition.js';

const STEP_KEY_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const MAX_STEP_NAME_LENGTH = 200;
const MAX_BATCH_HOSTS = 100_000;

export interface StepCheckContext {
  readonly variables: readonly VariableDefinition[];
  readonly earlier: readonly WrittenStep[];
  readonly path: string;
}

export function* checkStep(step: WrittenStep, { variables, earlier, path }: StepCheckContext): Faults {
  const known = earlier.map((each): EarlierStep => ({ key: each.key, outputs: listOutputs(each) }));
  const item = (step.forEach ?? null) === null ? [] : [{ name: ITEM_VARIABLE, secret: false }];
  const names = [...variables.map(({ name, type }) => ({ name, secret: type === 'secret' })), ...item];
  yield* findIdentityProblems(step, path);
  if (step.when !== null) {
    yield* checkCondition(step.when, names, known, `${path}/when`);
    yield null;
  }
  yield* findTimeoutProblems(step.timeoutSeconds, `${path}/timeoutSeconds`);
  if (step.retries) yield* findRetryProblems(step.retries, `${path}/retries`);
  yield* findBatchProblems(step, `${path}/batch`);
  yield* checkForEach(step, { variables, path: `${path}/forEach` });
  if (step.maxFailPercent !== null) yield* findPercentProblems(step.maxFailPercent, `${path}/maxFailPercent`);
  yield* getDefinition(step).check(step, { names, earlier: known, path });
}

function findIdentityProblems({ key, name }: WrittenStep, path: string): ProblemItem[] {
  const problems: ProblemItem[] = [];
  if (!STEP_KEY_PATTERN.test(key)) {
    const message =
      'A key has 1 to 63 lower-case letters, digits, - or _ and starts with a letter or digit, such as restart-web.';
    problems.push({ path: `${path}/key`, code: 'invalid_key', message });
  }
  if (name.trim() === '' || name.length > MAX_STEP_NAME_LENGTH) {
    const message = `Give the step a name of 1 to ${MAX_STEP_NAME_LENGTH} characters.`;
    problems.push({ path: `${path}/name`, code: 'invalid_name', message });
  }
  return problems;
}

const findRetryProblems = ({ count, delaySeconds }: StepRetries, path: string): ProblemItem[] => [
  ...findRangeProblems(count, RETRY_LIMITS, 'retries', `${path}/count`),
  ...findRangeProblems(delaySeconds, RETRY_DELAY_LIMITS, 'seconds', `${path}/delaySeconds`),
];

function findBatchProblems({ batch, runOnce }: WrittenStep, path: string): ProblemItem[] {
  if (batch === null) return [];
  const [, digits, percent] = /^([0-9]{1,6})(%?)$/.exec(batch) ?? [];
  const size = Number(digits ?? 0);
  if (size < 1 || size > (percent ? 100 : MAX_BATCH_HOSTS)) {
    const message =
      'Send the number of hosts per batch: a whole number from 1 such as 5, or a share from "1%" to "100%".';
    return [{ path, code: 'invalid_batch', message }];
  }
  if (!runOnce) return [];
  const message = 'A step that runs once has one host, so it cannot go in batches. Leave out batch or runOnce.';
  return [{ path, code: 'conflicting_fields', message }];
}
