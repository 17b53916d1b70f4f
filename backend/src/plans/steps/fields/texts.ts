import type { ProblemItem } from '../../../common/errors/problem-item.js';
import type { EarlierStep } from '../../rendering/command-facts.js';
import { checkCommandTemplate, type CommandName } from '../../rendering/render-command.js';
import type { Faults } from './faults.js';

const MAX_COMMAND_BYTES = 65_536;
/**
 * Limit per text. Validating an insertion `{{ … }}` or tag `{% … %}` costs a multiple of its length, at each save and
 * start.
 */
const MAX_INSERTIONS_PER_TEXT = 200;

/** Names that the texts of a step may use, and the JSON pointer of the step or field. */
export interface CheckContext {
  readonly names: readonly CommandName[];
  readonly earlier: readonly EarlierStep[];
  readonly path: string;
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

export function findTooManyInText(text: string, path: string): ProblemItem | null {
  const count = countInsertions(text);
  if (count <= MAX_INSERTIONS_PER_TEXT) return null;
  const message = `This text has ${count} insertions {{ … }} or {% … %}, but a text of a step can have at most ${MAX_INSERTIONS_PER_TEXT}. Use exported variables such as $name, or a template of the library.`;
  return { path, code: 'too_many', message };
}

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
