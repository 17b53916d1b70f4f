import type { PlanStep } from '../../plans/plan-content.js';
import type { FrozenLibrary } from '../library.js';

/** What a step asks of an earlier one. */
export interface StepReference {
  key: string;
  /** Outputs that it asks for. */
  outputs: readonly string[];
}

/**
 * The earlier steps whose results a step reads: in what it renders, its condition, and those that it is a handler of.
 * The keys of references are always literal, or the plan would not have been saved.
 */
export function referencesOf(
  { steps, variables }: { steps: readonly PlanStep[]; variables: readonly { name: string }[] },
  index: number,
  library: FrozenLibrary | undefined,
): StepReference[] {
  const step = steps[index];
  if (!step) return [];
  // A variable of the plan with that name hides the facts.
  const text = variables.some(({ name }) => name === 'steps') ? '' : textsOf(step, library).join('\n');
  return steps.slice(0, index).flatMap((earlier): StepReference[] => {
    const here = `\\bsteps\\s*${field(earlier.key)}`;
    const isRead = RegExp(here).test(text);
    if (!isRead && !step.onlyIfChanged.includes(earlier.key)) return [];
    const read = (name: string): boolean => RegExp(`${here}\\s*${field('outputs')}\\s*${field(name)}`).test(text);
    return [{ key: earlier.key, outputs: outputsOf(earlier).filter(read) }];
  });
}

/** `.name`, `["name"]` or `['name']`. */
function field(name: string): string {
  const literal = name.replace(/[^\w]/g, '\\$&');
  return `(?:\\.\\s*${literal}(?![\\w-])|\\[\\s*(?:"${literal}"|'${literal}')\\s*\\])`;
}

const outputsOf = (step: PlanStep): readonly string[] =>
  step.type === 'command' || step.type === 'script' ? step.outputs : [];

function textsOf(step: PlanStep, library: FrozenLibrary | undefined): string[] {
  const own = step.when === null ? [] : [step.when];
  if (step.type === 'gate' || step.type === 'wait') return own;
  if (step.unless !== null) own.push(step.unless);
  if (step.type === 'template')
    return [...own, step.validate ?? '', library?.templates[step.templateId]?.content ?? ''];
  if (step.check !== null) own.push(step.check);
  return step.type === 'script' ? [...own, ...step.arguments] : [...own, step.command];
}
