import { isUtf8 } from 'node:buffer';
import type { CommandStep } from '../../plans/steps/types/command.step.js';
import type { FileStep } from '../../plans/steps/types/file.step.js';
import type { PlanStep, WritingStep } from '../../plans/steps/types/step-types.js';
import type { ScriptStep } from '../../plans/steps/types/script.step.js';
import type { TemplateStep } from '../../plans/steps/types/template.step.js';
import { CommandTemplateError } from '../../plans/rendering/render-command.js';
import { renderScriptLine } from '../steps/script-line.js';
import {
  findFile,
  renderTemplate,
  findScript,
  type StepSources,
  findTemplate,
  listStepWarnings,
} from '../steps/step-command.js';

export interface StepText {
  text: string;
  /** False = parts of the text are still templates, because they depend on earlier steps or the host. */
  rendered: boolean;
}

/** Returns the effect of the step as text, rendered with values. Names replace secrets. */
export async function renderStepText(step: PlanStep, sources: StepSources): Promise<StepText> {
  switch (step.type) {
    case 'gate':
      return { text: step.message, rendered: true };
    case 'wait':
      return { text: step.url ?? `port ${step.port}`, rendered: true };
    case 'command':
      return renderCommandText(step, sources);
    case 'script':
      return renderScriptText(step, sources);
    case 'template':
      return renderTemplateText(step, sources);
    case 'file':
      return renderFileText(step, sources);
  }
}

async function renderCommandText(step: CommandStep, sources: StepSources): Promise<StepText> {
  const { values, renderer } = sources;
  const command = await renderOrFallback(() => renderer.text('command', step.command, values), step.command);
  const settings = await renderSettingsText(step, sources);
  return settings.text === '' ? command : joinTexts([command, settings], '\n\n');
}

async function renderScriptText(step: ScriptStep, sources: StepSources): Promise<StepText> {
  const { library, values, renderer } = sources;
  const { program, name, content } = findScript(step, library);
  const line = (args: readonly string[]) => renderScriptLine({ program, name }, args);
  const head = await renderOrFallback(
    async () => line(await Promise.all(step.arguments.map((text) => renderer.text('argument', text, values)))),
    line(step.arguments),
  );
  const settings = await renderSettingsText(step, sources);
  const warnings = listStepWarnings(step, library).map((message) => ({ text: `warning: ${message}`, rendered: true }));
  const top = joinTexts([head, ...(settings.text === '' ? [] : [settings]), ...warnings], '\n');
  return { ...top, text: `${top.text}\n\n${content}` };
}

/** Returns a line for each command or setting besides the main command, because these also act on hosts. */
async function renderSettingsText(step: CommandStep | ScriptStep, sources: StepSources): Promise<StepText> {
  const { unless, workingDirectory, environment } = step;
  const skips = unless === null ? [] : [await renderUnlessText(unless, sources)];
  const settings = [
    ...(workingDirectory === null ? [] : [`workingDirectory: ${workingDirectory}`]),
    ...Object.entries(environment).map(([name, value]) => `environment: ${name}=${value}`),
  ];
  return joinTexts([...skips, ...settings.map((text) => ({ text, rendered: true }))], '\n');
}

async function renderUnlessText(unless: string, { values, renderer }: StepSources): Promise<StepText> {
  const { text, rendered } = await renderOrFallback(() => renderer.text('command', unless, values), unless);
  return { text: `unless: ${text}`, rendered };
}

const joinTexts = (parts: readonly StepText[], separator: string): StepText => ({
  text: parts.map(({ text }) => text).join(separator),
  rendered: parts.every(({ rendered }) => rendered),
});

async function renderTemplateText(step: TemplateStep, sources: StepSources): Promise<StepText> {
  const { owner, group, mode, backup, validate } = step;
  const settings = Object.entries({ owner, group, mode, backup: backup ? 'yes' : null, validate });
  const lines = settings.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const { name, content } = findTemplate(step, sources.library);
  const skips = step.unless === null ? [] : [await renderUnlessText(step.unless, sources)];
  const file = await renderOrFallback(() => renderTemplate(step, sources, 'masked'), content);
  const head = await renderPathText(step, name, sources);
  const top = lines.map((text) => ({ text, rendered: true }));
  return joinTexts([head, ...top, ...skips, { text: '', rendered: true }, file], '\n');
}

async function renderFileText(step: FileStep, sources: StepSources): Promise<StepText> {
  const { owner, group, mode, backup } = step;
  const { sourceName, path, commit, sha256, base64 } = findFile(step, sources.library);
  const settings = Object.entries({ owner, group, mode, backup: backup ? 'yes' : null });
  const lines = settings.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const content = Buffer.from(base64, 'base64');
  const isText = isUtf8(content) && !content.includes(0);
  const skips = step.unless === null ? [] : [await renderUnlessText(step.unless, sources)];
  const head = await renderPathText(step, `${path} of ${sourceName}`, sources);
  const top = [`commit: ${commit}`, `sha256: ${sha256}`, ...lines];
  const file = isText ? content.toString() : `(${content.length} bytes, not text)`;
  const plain = (text: string) => ({ text, rendered: true });
  return joinTexts([head, ...top.map(plain), ...skips, plain(''), plain(file)], '\n');
}

async function renderPathText(step: WritingStep, from: string, { values, renderer }: StepSources): Promise<StepText> {
  const { text, rendered } = await renderOrFallback(() => renderer.text('path', step.path, values), step.path);
  return { text: `${text} from ${from}`, rendered };
}

/** Returns the text `otherwise` when facts of earlier steps or of the host are missing. */
async function renderOrFallback(render: () => string | Promise<string>, fallback: string): Promise<StepText> {
  try {
    return { text: await render(), rendered: true };
  } catch (error) {
    if (!(error instanceof CommandTemplateError)) throw error;
    return { text: fallback, rendered: false };
  }
}
