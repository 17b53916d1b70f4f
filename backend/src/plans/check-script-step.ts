import type { ProblemItem } from '../common/errors/problem-item.js';
import { interpreterProblems } from '../common/library/library-content.js';
import { type Known, programProblems } from './check-command-step.js';
import type { ScriptStep } from './plan-content.js';
import { checkArgumentTemplate } from './variables/render-argument.js';

const MAX_ARGUMENT = 8192;

/** Every fault of the fields that only a script step has. Whether there is such a script is found out by looking it up. */
export function checkScriptStep(step: ScriptStep, known: Known): ProblemItem[] {
  const { path } = known;
  return [
    ...(step.scriptId === ''
      ? [{ path: `${path}/scriptId`, code: 'required' as const, message: 'Choose the script that this step runs.' }]
      : []),
    ...step.arguments.flatMap((text, index) =>
      argumentProblems(text, { ...known, path: `${path}/arguments/${index}` }),
    ),
    ...(step.interpreter === null ? [] : interpreterProblems(step.interpreter, `${path}/interpreter`)),
    ...programProblems(step, known),
  ];
}

function argumentProblems(text: string, { names, earlier, path }: Known): ProblemItem[] {
  if (text.length > MAX_ARGUMENT) {
    const message = `An argument has at most ${MAX_ARGUMENT} characters. Let the script read longer text from an exported variable.`;
    return [{ path, code: 'too_long', message }];
  }
  return checkArgumentTemplate(text, names, path, earlier);
}
