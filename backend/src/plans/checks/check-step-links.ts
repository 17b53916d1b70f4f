import type { ProblemItem } from '../../common/errors/problem-item.js';
import { shortenText } from '../../common/text/shorten.js';
import { suggestName } from '../../common/text/nearest-name.js';
import { getDefinition, type WrittenStep } from '../steps/types/step-types.js';

/** Returns the faults of a step's key, and of its links to earlier steps. */
export function findStepLinkProblems(steps: readonly WrittenStep[], index: number): ProblemItem[] {
  const step = steps[index] as WrittenStep;
  const path = `/steps/${index}`;
  const problems: ProblemItem[] = [];
  if (steps.findIndex(({ key }) => key === step.key) < index) {
    const message = `Another step has the key "${step.key}". Give this one its own.`;
    problems.push({ path: `${path}/key`, code: 'duplicate_key', message });
  }
  step.onlyIfChanged.forEach((key, at) => {
    const fault = findHandlerFault(steps, index, key) ?? findRepeatedKeyProblem(step.onlyIfChanged, at);
    if (fault) problems.push({ path: `${path}/onlyIfChanged/${at}`, ...fault });
  });
  return problems;
}

function findHandlerFault(steps: readonly WrittenStep[], index: number, key: string): Omit<ProblemItem, 'path'> | null {
  const place = steps.findIndex((each) => each.key === key);
  const source = steps[place];
  if (!source) {
    const keys = steps.slice(0, index).map((each) => each.key);
    const hint = keys.length ? suggestName(key, keys, 'earlier step') : 'There is no earlier step.';
    return { code: 'unknown_step', message: `There is no step "${shortenText(key)}" to wait for a change of. ${hint}` };
  }
  if (place === index)
    return { code: 'circular_handler', message: 'A step cannot wait for its own change. Name an earlier step.' };
  if (place > index) {
    const message = `The step "${key}" comes later, so it has not changed anything yet. Move it before this one.`;
    return { code: 'circular_handler', message };
  }
  if (getDefinition(source).mayChangeHosts(source)) return null;
  const reason = 'readOnly' in source ? 'is marked readOnly' : `has the type ${source.type}`;
  const message = `The step "${key}" ${reason} and never changes anything, so this one would never run. Name another step.`;
  return { code: 'never_changes', message };
}

function findRepeatedKeyProblem(keys: readonly string[], at: number): Omit<ProblemItem, 'path'> | null {
  if (keys.indexOf(keys[at] as string) === at) return null;
  return {
    code: 'duplicate_key',
    message: `"${shortenText(keys[at] as string)}" occurs in onlyIfChanged twice. Remove one.`,
  };
}
