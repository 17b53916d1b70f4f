import {
  type CommandStep,
  type FileStep,
  type PlanStep,
  type ProgramFields,
  type ScriptStep,
  type TemplateStep,
  writesFile,
  type WritingStep,
} from '../../plans/steps/plan-content.js';
import type { CommandFacts, FactNeeds } from '../../plans/rendering/command-facts.js';
import { type CommandName, CommandTemplateError, type CommandValue } from '../../plans/rendering/render-command.js';
import type { StepRendering } from '../../plans/rendering/step-renderer.js';
import type { TextKind } from '../../plans/rendering/text-task.js';
import { templateFault } from '../../templates/rendering/template-fault.js';
import { fileSourceOf } from '../../plans/plan-library.js';
import { fileKey, type FrozenFile, type FrozenLibrary } from '../record/library.js';
import { scriptWarnings } from '../../scripts/script-warnings.js';
import { scriptCommand } from './script-command.js';
import { templateCommand } from './template-command.js';

/** A step that starts something on its hosts. */
export type StartingStep = CommandStep | ScriptStep | TemplateStep | FileStep;

/** What a step starts on one host: for `composeScript`, and for judging its end. */
export interface StepCommand
  extends Pick<
    ProgramFields,
    'become' | 'workingDirectory' | 'environment' | 'okExitCodes' | 'changedExitCodes' | 'readOnly' | 'idempotent'
  > {
  /** Rendered. */
  command: string;
  /** Rendered; null: none. */
  unless: string | null;
  /** It may set outputs. */
  outputs: boolean;
  /** Whether it changed something is told by the trailer, and by no exit code. */
  tellsChange: boolean;
  /** What a template came to where no value is secret, so that people may see it as it is. */
  shownFile?: string;
}

/** What a step says of its end, and of being started again. */
export interface StepRules
  extends Pick<ProgramFields, 'become' | 'okExitCodes' | 'changedExitCodes' | 'readOnly' | 'idempotent' | 'outputs'> {
  timeoutSeconds: number;
  /** Whether it changed something is told by the trailer, and by no exit code. */
  tellsChange: boolean;
  /** Something is told by a trailer after the output. */
  hasTrailer: boolean;
}

/** The step as one that starts something; null: it starts nothing. */
export const startingStep = (step: PlanStep): StartingStep | null =>
  step.type === 'wait' || step.type === 'gate' ? null : step;

export function rulesOf(step: StartingStep): StepRules {
  const { timeoutSeconds, become } = step;
  if (writesFile(step)) {
    const { okExitCodes, changedExitCodes, readOnly, idempotent, tellsChange } = FILE_RULES;
    const outputs: string[] = [];
    return {
      timeoutSeconds,
      become,
      okExitCodes,
      changedExitCodes,
      readOnly,
      idempotent,
      outputs,
      tellsChange,
      hasTrailer: true,
    };
  }
  const { okExitCodes, changedExitCodes, readOnly, idempotent, outputs, unless, workingDirectory } = step;
  const hasTrailer = become !== null || workingDirectory !== null || unless !== null || outputs.length > 0;
  return {
    timeoutSeconds,
    become,
    okExitCodes,
    changedExitCodes,
    readOnly,
    idempotent,
    outputs,
    tellsChange: false,
    hasTrailer,
  };
}

/** What a step is rendered with. */
export interface StepSources {
  /** Of the run's snapshot; absent when it froze none. */
  readonly library: FrozenLibrary | undefined;
  /** Secret values are needed for a template only: commands name them, and the host's shell puts them in. */
  readonly values: readonly CommandValue[];
  readonly renderer: StepRendering;
}

/**
 * Renders what the step starts; its texts are asked for together. Facts are needed when `stepNeeds` says so.
 *
 * @throws CommandTemplateError; Problem 429 `too_many_at_once`, 503 `busy`
 */
export async function stepCommand(
  step: StartingStep,
  sources: StepSources,
  facts?: CommandFacts,
): Promise<StepCommand> {
  const { values, renderer } = sources;
  const command = (text: string) => renderer.text('command', text, values, facts);
  const optional = (text: string | null) => (text === null ? null : command(text));
  switch (step.type) {
    case 'command': {
      const [unless, rendered] = await Promise.all([optional(step.unless), command(step.command)]);
      return { ...programOf(step), command: rendered, unless };
    }
    case 'script': {
      const script = scriptOf(step, sources.library);
      const args = step.arguments.map((text) => renderer.text('argument', text, values, facts));
      const [unless, ...rendered] = await Promise.all([optional(step.unless), ...args]);
      return { ...programOf(step), command: scriptCommand(script, rendered), unless };
    }
    case 'template': {
      const [unless, content, validate, rules] = await Promise.all([
        optional(step.unless),
        renderedTemplate(step, sources, 'shown', facts),
        optional(step.validate),
        withPath(step, sources, facts),
      ]);
      const shown = values.some(({ secret }) => secret) ? {} : { shownFile: content };
      return {
        ...FILE_RULES,
        ...shown,
        become: step.become,
        command: templateCommand(rules, content, validate),
        unless,
      };
    }
    case 'file': {
      const content = Buffer.from(fileOf(step, sources.library).base64, 'base64');
      const [unless, rules] = await Promise.all([optional(step.unless), withPath(step, sources, facts)]);
      return { ...FILE_RULES, become: step.become, command: templateCommand(rules, content, null), unless };
    }
  }
}

/** The step with the path that it writes on a host. @throws as `stepCommand` */
export const withPath = async <Step extends WritingStep>(
  step: Step,
  { values, renderer }: StepSources,
  facts?: CommandFacts,
): Promise<Step> => ({ ...step, path: await renderer.text('path', step.path, values, facts) });

/** What a step writes; of a template masked for people. @throws CommandTemplateError */
export const writtenContent = (
  step: WritingStep,
  sources: StepSources,
  secrets: 'shown' | 'masked',
  facts?: CommandFacts,
): Promise<string | Buffer> =>
  step.type === 'template'
    ? renderedTemplate(step, sources, secrets, facts)
    : Promise.resolve(Buffer.from(fileOf(step, sources.library).base64, 'base64'));

/** The file that a step writes; masked for people. @throws CommandTemplateError */
export async function renderedTemplate(
  step: TemplateStep,
  { library, values, renderer }: StepSources,
  secrets: 'shown' | 'masked',
  facts?: CommandFacts,
): Promise<string> {
  const { content } = templateOf(step, library);
  try {
    return await renderer.render({ content, values, facts, secrets });
  } catch (error) {
    const { code, message } = templateFault(error);
    throw new CommandTemplateError(code, `The template of "${step.path}": ${message}`);
  }
}

/** What Liquid looks for: a text without it stays as it is. */
const MARKUP = /\{[{%]/;

/** Whether nothing in the step is rendered, so that whatever values a host has, what it starts is the same. */
export const startsVerbatim = (step: StartingStep): boolean =>
  !writesFile(step) && textsOf(step).every(({ text }) => !MARKUP.test(text));

/** Which facts the rendering of a step needs: when neither, it is the same on every host. @throws as `stepCommand` */
export async function stepNeeds(step: StartingStep, sources: StepSources): Promise<FactNeeds> {
  const { values, renderer } = sources;
  const needs = textsOf(step).map(({ kind, text }) => renderer.needs(kind, text, values));
  const file = step.type === 'template' ? [templateNeeds(step, sources)] : [];
  return together(await Promise.all([...needs, ...file]));
}

/** What is rendered of a step beside the content of a file. */
function textsOf(step: StartingStep): { kind: TextKind; text: string }[] {
  const commands = [
    step.unless,
    step.type === 'command' ? step.command : null,
    step.type === 'template' ? step.validate : null,
  ].flatMap((text) => (text === null ? [] : [{ kind: 'command' as const, text }]));
  if (step.type === 'command') return commands;
  if (step.type === 'script')
    return [...commands, ...step.arguments.map((text) => ({ kind: 'argument' as const, text }))];
  return [...commands, { kind: 'path', text: step.path }];
}

async function templateNeeds(step: TemplateStep, { library, values, renderer }: StepSources): Promise<FactNeeds> {
  const { content } = templateOf(step, library);
  try {
    return unlessHidden(await renderer.check(content), values);
  } catch (error) {
    const { code, message } = templateFault(error);
    throw new CommandTemplateError(code, `The template of "${step.path}": ${message}`);
  }
}

/** A script as a step starts it. */
export interface RunScript {
  name: string;
  content: string;
  /** Program that runs it, then the program's own arguments. */
  program: string[];
}

/** The script of a step with the program that runs it. @throws CommandTemplateError */
export function scriptOf({ scriptId, interpreter }: ScriptStep, library: FrozenLibrary | undefined): RunScript {
  const script = library && Object.hasOwn(library.scripts, scriptId) ? library.scripts[scriptId] : undefined;
  if (!script) throw new CommandTemplateError('script_missing', 'The run has no such script.');
  const { name, content, interpreterArguments = [] } = script;
  return {
    name,
    content,
    program: interpreter === null ? [script.interpreter, ...interpreterArguments] : [interpreter],
  };
}

/** Likely mistakes in the script of a step, for people. @throws CommandTemplateError */
export function warningsOfStep(step: ScriptStep, library: FrozenLibrary | undefined): string[] {
  const { program, content } = scriptOf(step, library);
  return scriptWarnings(program, content).map(({ message }) => message);
}

/** The file of a step as the run froze it. @throws CommandTemplateError */
export function fileOf(step: FileStep, library: FrozenLibrary | undefined): FrozenFile {
  const key = fileKey(fileSourceOf(step));
  const file = library?.files && Object.hasOwn(library.files, key) ? library.files[key] : undefined;
  if (!file) throw new CommandTemplateError('file_missing', 'The run has no such file.');
  return file;
}

/** @throws CommandTemplateError */
export function templateOf(
  { templateId }: TemplateStep,
  library: FrozenLibrary | undefined,
): FrozenLibrary['templates'][string] {
  const template = library && Object.hasOwn(library.templates, templateId) ? library.templates[templateId] : undefined;
  if (!template) throw new CommandTemplateError('template_missing', 'The run has no such template.');
  return template;
}

const programOf = (step: CommandStep | ScriptStep): Omit<StepCommand, 'command' | 'unless'> => ({
  become: step.become,
  workingDirectory: step.workingDirectory,
  environment: step.environment,
  okExitCodes: step.okExitCodes,
  changedExitCodes: step.changedExitCodes,
  readOnly: step.readOnly,
  idempotent: step.idempotent,
  outputs: step.outputs.length > 0,
  tellsChange: false,
});

/** Writing the same file once more does nothing, so that it may be started again after a loss. */
const FILE_RULES = {
  workingDirectory: null,
  environment: {},
  okExitCodes: [0],
  changedExitCodes: [],
  readOnly: false,
  idempotent: true,
  outputs: false,
  tellsChange: true,
};

const together = (needs: readonly FactNeeds[]): FactNeeds => ({
  host: needs.some(({ host }) => host),
  steps: needs.some(({ steps }) => steps),
});

/** A variable of the plan with the name of a fact hides it. */
const unlessHidden = ({ host, steps }: FactNeeds, names: readonly CommandName[]): FactNeeds => ({
  host: host && !names.some(({ name }) => name === 'host'),
  steps: steps && !names.some(({ name }) => name === 'steps'),
});
