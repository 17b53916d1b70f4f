import type { ProblemItem } from '../../common/errors/problem-item.js';
import { checkCommandStep } from './check-command-step.js';
import { checkScriptStep } from './check-script-step.js';
import { checkFileStep, checkTemplateStep } from './check-template-step.js';
import { findPercentProblems, findRangeProblems, findTimeoutProblems } from './check-numbers.js';
import type { Faults } from './faults.js';
import { checkCallStep, checkForEach } from './check-call-step.js';
import {
  type GateStep,
  ITEM_VARIABLE,
  listOutputs,
  type StepRetries,
  type WaitStep,
  type WrittenStep,
} from '../steps/plan-content.js';
import type { VariableDefinition } from '../variables/variable-definition.js';
import type { EarlierStep } from '../rendering/command-facts.js';
import { checkCondition } from '../rendering/condition.js';
import type { CommandName } from '../rendering/render-command.js';

const STEP_KEY_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const MAX_STEP_NAME_LENGTH = 200;
const MAX_BATCH_HOSTS = 100_000;
const MAX_MESSAGE_LENGTH = 2000;

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
  yield* findTypeProblems(step, { names, earlier: known, path });
}

function findTypeProblems(
  step: WrittenStep,
  known: { names: readonly CommandName[]; earlier: readonly EarlierStep[]; path: string },
): Iterable<ProblemItem | null> {
  switch (step.type) {
    case 'command':
      return checkCommandStep(step, known);
    case 'script':
      return checkScriptStep(step, known);
    case 'template':
      return checkTemplateStep(step, known);
    case 'file':
      return checkFileStep(step, known);
    case 'wait':
      return findWaitProblems(step, known.path);
    case 'gate':
      return findGateProblems(step, known.path);
    case 'plan':
      return checkCallStep(step, known);
  }
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
  ...findRangeProblems(count, { min: 1, max: 20, what: 'retries' }, `${path}/count`),
  ...findRangeProblems(delaySeconds, { min: 0, max: 3600, what: 'seconds' }, `${path}/delaySeconds`),
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

function findWaitProblems({ port, url }: WaitStep, path: string): ProblemItem[] {
  if (port === null && url === null) {
    const message = 'Set what the step waits for: a port of the host such as 443, or a url.';
    return [{ path: `${path}/port`, code: 'required', message }];
  }
  if (port !== null && url !== null) {
    const message = 'A step waits for a port or a url, not both. Leave one out, or make two steps.';
    return [{ path: `${path}/url`, code: 'conflicting_fields', message }];
  }
  if (port !== null) return findRangeProblems(port, { min: 1, max: 65_535, what: 'a port' }, `${path}/port`);
  const fault = findUrlFault(url ?? '');
  return fault === null ? [] : [{ path: `${path}/url`, code: 'invalid_url', message: fault }];
}

function findUrlFault(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || /[\s\p{Cc}]/u.test(text))
    return 'Send a complete address that begins with http:// or https://, such as https://localhost/health.';
  if (url.username !== '' || url.password !== '')
    return 'Remove the user and password from the address: every member who can see the plan would see them.';
  return null;
}

function findGateProblems({ message }: GateStep, path: string): ProblemItem[] {
  if (message.trim() !== '' && message.length <= MAX_MESSAGE_LENGTH) return [];
  const advice = `Write what the person must decide or do, in 1 to ${MAX_MESSAGE_LENGTH} characters.`;
  return [{ path: `${path}/message`, code: 'required', message: advice }];
}
