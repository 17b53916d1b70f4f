import type { ProblemItem } from '../../common/errors/problem-item.js';
import { findInterpreterProblems } from '../../library/library-content.js';
import { type CheckContext, findProgramProblems } from './check-command-step.js';
import type { Faults } from './faults.js';
import { findTooManyInText } from './insertions.js';
import type { ScriptStep } from '../steps/plan-content.js';
import { checkArgumentTemplate } from '../rendering/render-argument.js';

const MAX_ARGUMENT_LENGTH = 8192;

/** Does not check whether the script exists. */
export function* checkScriptStep(step: ScriptStep, known: CheckContext): Faults {
  const { path } = known;
  if (step.scriptId === '')
    yield { path: `${path}/scriptId`, code: 'required', message: 'Choose the script that this step runs.' };
  for (const [index, text] of step.arguments.entries()) {
    yield null;
    yield* findArgumentProblems(text, { ...known, path: `${path}/arguments/${index}` });
  }
  if (step.interpreter !== null) yield* findInterpreterProblems(step.interpreter, `${path}/interpreter`);
  yield* findProgramProblems(step, known);
}

function findArgumentProblems(text: string, { names, earlier, path }: CheckContext): ProblemItem[] {
  if (text.length > MAX_ARGUMENT_LENGTH) {
    const message = `An argument has at most ${MAX_ARGUMENT_LENGTH} characters. Let the script read longer text from an exported variable.`;
    return [{ path, code: 'too_long', message }];
  }
  const tooMany = findTooManyInText(text, path);
  return tooMany ? [tooMany] : checkArgumentTemplate(text, names, path, earlier);
}
