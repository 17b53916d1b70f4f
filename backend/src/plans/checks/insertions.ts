import type { ProblemItem } from '../../common/errors/problem-item.js';
import type { WrittenStep } from '../steps/plan-content.js';

/**
 * Limit per text. Validating an insertion `{{ … }}` or tag `{% … %}` costs a multiple of its length, at each save and
 * start.
 */
const MAX_INSERTIONS_PER_TEXT = 200;
const MAX_INSERTIONS_PER_PLAN = 2000;

/** Returns an upper bound of the insertions and tags in a text: those within `{% raw %}` count too. */
export function countInsertions(text: string): number {
  let count = 0;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    const next = text.charAt(at + 1);
    if (next === '{' || next === '%') {
      count += 1;
      at += 1;
    }
  }
  return count;
}

export const countStepInsertions = (step: WrittenStep): number =>
  listStepTexts(step).reduce((sum, text) => sum + (text === null ? 0 : countInsertions(text)), 0);

function listStepTexts(step: WrittenStep): readonly (string | null)[] {
  switch (step.type) {
    case 'command':
      return [step.command, step.unless, step.check];
    case 'script':
      return [...step.arguments, step.unless, step.check];
    case 'template':
      return [step.path, step.validate, step.unless];
    case 'file':
      return [step.path, step.unless];
    case 'wait':
    case 'gate':
    case 'plan':
      return [];
  }
}

export function findTooManyInText(text: string, path: string): ProblemItem | null {
  const count = countInsertions(text);
  if (count <= MAX_INSERTIONS_PER_TEXT) return null;
  const message = `This text has ${count} insertions {{ … }} or {% … %}, but a text of a step can have at most ${MAX_INSERTIONS_PER_TEXT}. Use exported variables such as $name, or a template of the library.`;
  return { path, code: 'too_many', message };
}

export function findTooManyInPlan(count: number): ProblemItem | null {
  if (count <= MAX_INSERTIONS_PER_PLAN) return null;
  const message = `The texts of this plan have ${count} insertions {{ … }} or {% … %} in total, but a plan can have at most ${MAX_INSERTIONS_PER_PLAN}. Use exported variables such as $name, or templates of the library.`;
  return { path: '/steps', code: 'too_many', message };
}
