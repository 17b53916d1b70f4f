import type { CommandFacts, FactNeeds } from '../../../plans/rendering/command-facts.js';
import { type CommandName, CommandTemplateError } from '../../../plans/rendering/render-command.js';
import type { TemplateStep } from '../../../plans/steps/types/template.step.js';
import { templateFault } from '../../../templates/rendering/template-fault.js';
import type { FrozenLibrary } from '../../record/run-content.js';
import { renderTemplateCommand } from '../shell/template-command.js';
import type { StepSources, WritingStepType } from './run-step-type.js';
import { renderOrFallback } from './step-text.js';
import { describeWriting, getWritingRules, predictWriting, renderStepPath, WRITING_SETTINGS } from './written-file.js';

export const TEMPLATE: WritingStepType<TemplateStep> = {
  runs: 'command',
  rendersInThread: true,
  subjectFields: ['path'],
  getSubject: ({ path }) => path,
  getRules: getWritingRules,
  listRenderedTexts: ({ validate, path }) => [
    ...(validate === null ? [] : [{ kind: 'command' as const, text: validate }]),
    { kind: 'path', text: path },
  ],
  findContentNeeds: findTemplateNeeds,
  renderContent: renderTemplate,
  async render(step, sources, facts) {
    const { values, renderer } = sources;
    const [content, validate, rules] = await Promise.all([
      renderTemplate(step, sources, 'shown', facts),
      step.validate === null ? null : renderer.text('command', step.validate, values, facts),
      renderStepPath(step, sources, facts),
    ]);
    const display = values.some(({ secret }) => secret) ? {} : { displayFile: content };
    return { ...WRITING_SETTINGS, ...display, command: renderTemplateCommand(rules, content, validate) };
  },
  predict: predictWriting,
  async describe(step, sources) {
    const { name, content } = findTemplate(step, sources.library);
    const file = await renderOrFallback(() => renderTemplate(step, sources, 'masked'), content);
    return describeWriting(step, sources, name, { after: { validate: step.validate }, file });
  },
};

async function renderTemplate(
  step: TemplateStep,
  { library, values, renderer }: StepSources,
  secrets: 'shown' | 'masked',
  facts?: CommandFacts,
): Promise<string> {
  const { content } = findTemplate(step, library);
  try {
    return await renderer.render({ content, values, facts, secrets });
  } catch (error) {
    throw toTemplateError(step, error);
  }
}

async function findTemplateNeeds(step: TemplateStep, { library, values, renderer }: StepSources): Promise<FactNeeds> {
  const { content } = findTemplate(step, library);
  try {
    return omitHiddenNames(await renderer.check(content), values);
  } catch (error) {
    throw toTemplateError(step, error);
  }
}

function toTemplateError({ path }: TemplateStep, error: unknown): CommandTemplateError {
  const { code, message } = templateFault(error);
  return new CommandTemplateError(code, `The template of "${path}": ${message}`);
}

function findTemplate(
  { templateId }: TemplateStep,
  library: FrozenLibrary | undefined,
): FrozenLibrary['templates'][string] {
  const template = library && Object.hasOwn(library.templates, templateId) ? library.templates[templateId] : undefined;
  if (!template) throw new CommandTemplateError('template_missing', 'The run does not contain this template.');
  return template;
}

/** Leaves out facts that the plan hides by a variable of the same name. */
const omitHiddenNames = ({ host, steps }: FactNeeds, names: readonly CommandName[]): FactNeeds => ({
  host: host && !names.some(({ name }) => name === 'host'),
  steps: steps && !names.some(({ name }) => name === 'steps'),
});
