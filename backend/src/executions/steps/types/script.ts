import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import type { ScriptStep } from '../../../plans/steps/types/script.step.js';
import { scriptWarnings } from '../../../scripts/script-warnings.js';
import type { FrozenLibrary } from '../../record/run-content.js';
import { renderScriptCommand } from '../shell/script-command.js';
import { renderScriptLine } from '../shell/script-line.js';
import { getProgramRules, predictProgram, renderSettingsText, toProgramSettings } from './program.js';
import type { CommandStepType, RunScript } from './run-step-type.js';
import { joinTexts, renderOrFallback } from './step-text.js';

export const SCRIPT: CommandStepType<ScriptStep> & { getScript: typeof findScript } = {
  runs: 'command',
  rendersInThread: false,
  subjectFields: ['arguments'],
  getSubject: (step) => step.arguments.join(' '),
  getLine: (step, library) =>
    // Seeded runs have no library.
    library && Object.hasOwn(library.scripts, step.scriptId)
      ? renderScriptLine(findScript(step, library), step.arguments)
      : [step.interpreter ?? '', ...step.arguments].join(' ').trim(),
  getRules: getProgramRules,
  getScript: findScript,
  listRenderedTexts: (step) => step.arguments.map((text) => ({ kind: 'argument', text })),
  async render(step, { library, values, renderer }, facts) {
    const script = findScript(step, library);
    const args = await Promise.all(step.arguments.map((text) => renderer.text('argument', text, values, facts)));
    return { ...toProgramSettings(step), command: renderScriptCommand(script, args) };
  },
  predict: predictProgram,
  async describe(step, sources) {
    const { library, values, renderer } = sources;
    const { program, name, content } = findScript(step, library);
    const line = (args: readonly string[]) => renderScriptLine({ program, name }, args);
    const head = await renderOrFallback(
      async () => line(await Promise.all(step.arguments.map((text) => renderer.text('argument', text, values)))),
      line(step.arguments),
    );
    const settings = await renderSettingsText(step, sources);
    const warnings = listScriptWarnings({ program, content }).map((message) => ({
      text: `warning: ${message}`,
      rendered: true,
    }));
    const top = joinTexts([head, ...(settings.text === '' ? [] : [settings]), ...warnings], '\n');
    return { ...top, text: `${top.text}\n\n${content}` };
  },
};

function findScript({ scriptId, interpreter }: ScriptStep, library: FrozenLibrary | undefined): RunScript {
  const script = library && Object.hasOwn(library.scripts, scriptId) ? library.scripts[scriptId] : undefined;
  if (!script) throw new CommandTemplateError('script_missing', 'The run does not contain this script.');
  const { name, content, interpreterArguments = [] } = script;
  return {
    name,
    content,
    program: interpreter === null ? [script.interpreter, ...interpreterArguments] : [interpreter],
  };
}

/** Returns likely mistakes in the script of a step, for display. */
export const listScriptWarnings = ({ program, content }: Pick<RunScript, 'program' | 'content'>): string[] =>
  scriptWarnings(program, content).map(({ reason }) => reason.text);
