import { isUtf8 } from 'node:buffer';
import type {
  CommandStep,
  FileStep,
  PlanStep,
  ScriptStep,
  TemplateStep,
  WritingStep,
} from '../../plans/steps/plan-content.js';
import { CommandTemplateError } from '../../plans/rendering/render-command.js';
import { scriptLine } from '../steps/script-line.js';
import {
  fileOf,
  renderedTemplate,
  scriptOf,
  type StepSources,
  templateOf,
  warningsOfStep,
} from '../steps/step-command.js';

export interface StepText {
  text: string;
  /** False = parts of the text are still templates, because they depend on earlier steps or the host. */
  rendered: boolean;
}

/** Returns the effect of the step as text, rendered with values. Names replace secrets. */
export async function stepText(step: PlanStep, sources: StepSources): Promise<StepText> {
  switch (step.type) {
    case 'gate':
      return { text: step.message, rendered: true };
    case 'wait':
      return { text: step.url ?? `port ${step.port}`, rendered: true };
    case 'command':
      return commandText(step, sources);
    case 'script':
      return scriptText(step, sources);
    case 'template':
      return templateText(step, sources);
    case 'file':
      return fileText(step, sources);
  }
}

async function commandText(step: CommandStep, sources: StepSources): Promise<StepText> {
  const { values, renderer } = sources;
  const command = await attempt(() => renderer.text('command', step.command, values), step.command);
  const settings = await settingsText(step, sources);
  return settings.text === '' ? command : joinTexts([command, settings], '\n\n');
}

async function scriptText(step: ScriptStep, sources: StepSources): Promise<StepText> {
  const { library, values, renderer } = sources;
  const { program, name, content } = scriptOf(step, library);
  const line = (args: readonly string[]) => scriptLine({ program, name }, args);
  const head = await attempt(
    async () => line(await Promise.all(step.arguments.map((text) => renderer.text('argument', text, values)))),
    line(step.arguments),
  );
  const settings = await settingsText(step, sources);
  const warnings = warningsOfStep(step, library).map((message) => ({ text: `warning: ${message}`, rendered: true }));
  const top = joinTexts([head, ...(settings.text === '' ? [] : [settings]), ...warnings], '\n');
  return { ...top, text: `${top.text}\n\n${content}` };
}

/** Returns a line for each command or setting besides the main command, because these also act on hosts. */
async function settingsText(step: CommandStep | ScriptStep, sources: StepSources): Promise<StepText> {
  const { unless, workingDirectory, environment } = step;
  const skips = unless === null ? [] : [await unlessText(unless, sources)];
  const settings = [
    ...(workingDirectory === null ? [] : [`workingDirectory: ${workingDirectory}`]),
    ...Object.entries(environment).map(([name, value]) => `environment: ${name}=${value}`),
  ];
  return joinTexts([...skips, ...settings.map((text) => ({ text, rendered: true }))], '\n');
}

async function unlessText(unless: string, { values, renderer }: StepSources): Promise<StepText> {
  const { text, rendered } = await attempt(() => renderer.text('command', unless, values), unless);
  return { text: `unless: ${text}`, rendered };
}

const joinTexts = (parts: readonly StepText[], separator: string): StepText => ({
  text: parts.map(({ text }) => text).join(separator),
  rendered: parts.every(({ rendered }) => rendered),
});

async function templateText(step: TemplateStep, sources: StepSources): Promise<StepText> {
  const { owner, group, mode, backup, validate } = step;
  const settings = Object.entries({ owner, group, mode, backup: backup ? 'yes' : null, validate });
  const lines = settings.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const { name, content } = templateOf(step, sources.library);
  const skips = step.unless === null ? [] : [await unlessText(step.unless, sources)];
  const file = await attempt(() => renderedTemplate(step, sources, 'masked'), content);
  const head = await pathText(step, name, sources);
  const top = lines.map((text) => ({ text, rendered: true }));
  return joinTexts([head, ...top, ...skips, { text: '', rendered: true }, file], '\n');
}

async function fileText(step: FileStep, sources: StepSources): Promise<StepText> {
  const { owner, group, mode, backup } = step;
  const { sourceName, path, commit, sha256, base64 } = fileOf(step, sources.library);
  const settings = Object.entries({ owner, group, mode, backup: backup ? 'yes' : null });
  const lines = settings.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const content = Buffer.from(base64, 'base64');
  const isText = isUtf8(content) && !content.includes(0);
  const skips = step.unless === null ? [] : [await unlessText(step.unless, sources)];
  const head = await pathText(step, `${path} of ${sourceName}`, sources);
  const top = [`commit: ${commit}`, `sha256: ${sha256}`, ...lines];
  const file = isText ? content.toString() : `(${content.length} bytes, not text)`;
  const plain = (text: string) => ({ text, rendered: true });
  return joinTexts([head, ...top.map(plain), ...skips, plain(''), plain(file)], '\n');
}

async function pathText(step: WritingStep, from: string, { values, renderer }: StepSources): Promise<StepText> {
  const { text, rendered } = await attempt(() => renderer.text('path', step.path, values), step.path);
  return { text: `${text} from ${from}`, rendered };
}

/** Returns the text `otherwise` when facts of earlier steps or of the host are missing. */
async function attempt(render: () => string | Promise<string>, fallback: string): Promise<StepText> {
  try {
    return { text: await render(), rendered: true };
  } catch (error) {
    if (!(error instanceof CommandTemplateError)) throw error;
    return { text: fallback, rendered: false };
  }
}
