import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { getProgramRules, predictProgram, renderSettingsText, toProgramSettings } from './program.js';
import type { CommandStepType } from './run-step-type.js';
import { joinTexts, renderOrFallback } from './step-text.js';

export const COMMAND: CommandStepType<CommandStep> = {
  runs: 'command',
  rendersInThread: false,
  subjectFields: ['command'],
  getSubject: ({ command }) => command,
  getRules: getProgramRules,
  listRenderedTexts: ({ command }) => [{ kind: 'command', text: command }],
  async render(step, { values, renderer }, facts) {
    return { ...toProgramSettings(step), command: await renderer.text('command', step.command, values, facts) };
  },
  predict: predictProgram,
  async describe(step, sources) {
    const { values, renderer } = sources;
    const command = await renderOrFallback(() => renderer.text('command', step.command, values), step.command);
    const settings = await renderSettingsText(step, sources);
    return settings.text === '' ? command : joinTexts([command, settings], '\n\n');
  },
};
