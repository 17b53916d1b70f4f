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

/** A step as a person reads it who is to decide on it. */
export interface StepText {
  text: string;
  /** False: something of it is still a template, as it needs what earlier steps or the host will tell. */
  rendered: boolean;
}

/** What the step does, with its values in place; secrets stand in it by name. */
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

/** The command, and under it what else is started and set. */
async function commandText(step: CommandStep, sources: StepSources): Promise<StepText> {
  const { values, renderer } = sources;
  const command = await attempt(() => renderer.text('command', step.command, values), step.command);
  const beside = await besideText(step, sources);
  return beside.text === '' ? command : joined([command, beside], '\n\n');
}

/** The program with its arguments on one line, what else is started and set, the script under it. */
async function scriptText(step: ScriptStep, sources: StepSources): Promise<StepText> {
  const { library, values, renderer } = sources;
  const { program, name, content } = scriptOf(step, library);
  const line = (args: readonly string[]) => scriptLine({ program, name }, args);
  const head = await attempt(
    async () => line(await Promise.all(step.arguments.map((text) => renderer.text('argument', text, values)))),
    line(step.arguments),
  );
  const beside = await besideText(step, sources);
  const warnings = warningsOfStep(step, library).map((message) => ({ text: `warning: ${message}`, rendered: true }));
  const top = joined([head, ...(beside.text === '' ? [] : [beside]), ...warnings], '\n');
  return { ...top, text: `${top.text}\n\n${content}` };
}

/** A line for each thing that the step starts or sets beside its command: it acts on the hosts as well. */
async function besideText(step: CommandStep | ScriptStep, sources: StepSources): Promise<StepText> {
  const { unless, workingDirectory, environment } = step;
  const skips = unless === null ? [] : [await unlessText(unless, sources)];
  const settings = [
    ...(workingDirectory === null ? [] : [`workingDirectory: ${workingDirectory}`]),
    ...Object.entries(environment).map(([name, value]) => `environment: ${name}=${value}`),
  ];
  return joined([...skips, ...settings.map((text) => ({ text, rendered: true }))], '\n');
}

async function unlessText(unless: string, { values, renderer }: StepSources): Promise<StepText> {
  const { text, rendered } = await attempt(() => renderer.text('command', unless, values), unless);
  return { text: `unless: ${text}`, rendered };
}

const joined = (parts: readonly StepText[], between: string): StepText => ({
  text: parts.map(({ text }) => text).join(between),
  rendered: parts.every(({ rendered }) => rendered),
});

/** Where the file goes and what is set of it, the file under it. */
async function templateText(step: TemplateStep, sources: StepSources): Promise<StepText> {
  const { owner, group, mode, backup, validate } = step;
  const settings = Object.entries({ owner, group, mode, backup: backup ? 'yes' : null, validate });
  const lines = settings.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const { name, content } = templateOf(step, sources.library);
  const skips = step.unless === null ? [] : [await unlessText(step.unless, sources)];
  const file = await attempt(() => renderedTemplate(step, sources, 'masked'), content);
  const head = await placeText(step, name, sources);
  const top = lines.map((text) => ({ text, rendered: true }));
  return joined([head, ...top, ...skips, { text: '', rendered: true }, file], '\n');
}

/** Which file of which commit goes where, what is set of it, and its text under it. */
async function fileText(step: FileStep, sources: StepSources): Promise<StepText> {
  const { owner, group, mode, backup } = step;
  const { sourceName, path, commit, sha256, base64 } = fileOf(step, sources.library);
  const settings = Object.entries({ owner, group, mode, backup: backup ? 'yes' : null });
  const lines = settings.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const content = Buffer.from(base64, 'base64');
  const isText = isUtf8(content) && !content.includes(0);
  const skips = step.unless === null ? [] : [await unlessText(step.unless, sources)];
  const head = await placeText(step, `${path} of ${sourceName}`, sources);
  const top = [`commit: ${commit}`, `sha256: ${sha256}`, ...lines];
  const file = isText ? content.toString() : `(${content.length} bytes that are no text)`;
  const plain = (text: string) => ({ text, rendered: true });
  return joined([head, ...top.map(plain), ...skips, plain(''), plain(file)], '\n');
}

/** The path that is written, and what is written there. */
async function placeText(step: WritingStep, from: string, { values, renderer }: StepSources): Promise<StepText> {
  const { text, rendered } = await attempt(() => renderer.text('path', step.path, values), step.path);
  return { text: `${text} from ${from}`, rendered };
}

/** Not rendered: what it needs is only known when the steps before it have run, or on the host. */
async function attempt(render: () => string | Promise<string>, otherwise: string): Promise<StepText> {
  try {
    return { text: await render(), rendered: true };
  } catch (error) {
    if (!(error instanceof CommandTemplateError)) throw error;
    return { text: otherwise, rendered: false };
  }
}
