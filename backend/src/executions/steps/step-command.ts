import type { CommandStep } from '../../plans/steps/types/command.step.js';
import type { FileStep } from '../../plans/steps/types/file.step.js';
import { type PlanStep, writesFile, type WritingStep } from '../../plans/steps/types/step-types.js';
import type { ProgramFields } from '../../plans/steps/fields/program.fields.js';
import type { ScriptStep } from '../../plans/steps/types/script.step.js';
import type { TemplateStep } from '../../plans/steps/types/template.step.js';
import type { CommandFacts, FactNeeds } from '../../plans/rendering/command-facts.js';
import { type CommandName, CommandTemplateError, type CommandValue } from '../../plans/rendering/render-command.js';
import type { StepRendering } from '../../plans/rendering/step-renderer.js';
import type { TextKind } from '../../plans/rendering/text-task.js';
import { templateFault } from '../../templates/rendering/template-fault.js';
import { toContentSource } from '../../plans/steps/types/file.step.js';
import { toFileKey, type FrozenFile, type FrozenLibrary } from '../record/run-content.js';
import { scriptWarnings } from '../../scripts/script-warnings.js';
import { renderScriptCommand } from './script-command.js';
import { renderTemplateCommand } from './template-command.js';

export type StartingStep = CommandStep | ScriptStep | TemplateStep | FileStep;

/** Rendered command of a step on one host, for `composeScript` and for evaluating the result. */
export interface StepCommand
  extends Pick<
    ProgramFields,
    'become' | 'workingDirectory' | 'environment' | 'okExitCodes' | 'changedExitCodes' | 'readOnly' | 'idempotent'
  > {
  command: string;
  unless: string | null;
  outputs: boolean;
  /** Whether the trailer reports changes, instead of an exit code. */
  reportsChange: boolean;
  /** Rendered template with masked secrets, for display. */
  displayFile?: string;
}

export interface StepRules
  extends Pick<ProgramFields, 'become' | 'okExitCodes' | 'changedExitCodes' | 'readOnly' | 'idempotent' | 'outputs'> {
  timeoutSeconds: number;
  /** Whether the trailer reports changes, instead of an exit code. */
  reportsChange: boolean;
  hasTrailer: boolean;
}

/** Returns the step if it starts a command; otherwise null. */
export const toStartingStep = (step: PlanStep): StartingStep | null =>
  step.type === 'wait' || step.type === 'gate' ? null : step;

export function toStepRules(step: StartingStep): StepRules {
  const { timeoutSeconds, become } = step;
  if (writesFile(step)) {
    const { okExitCodes, changedExitCodes, readOnly, idempotent, reportsChange } = FILE_STEP_RULES;
    const outputs: string[] = [];
    return {
      timeoutSeconds,
      become,
      okExitCodes,
      changedExitCodes,
      readOnly,
      idempotent,
      outputs,
      reportsChange,
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
    reportsChange: false,
    hasTrailer,
  };
}

export interface StepSources {
  /** Library of the run's snapshot; undefined = none was frozen. */
  readonly library: FrozenLibrary | undefined;
  /**
   * Values for rendering. Only templates need secret values: commands refer to secrets by name, and the host's shell
   * inserts them.
   */
  readonly values: readonly CommandValue[];
  readonly renderer: StepRendering;
}

/**
 * Renders all texts of a step in parallel. If `findStepFactNeeds` returns facts, pass them.
 *
 * @throws CommandTemplateError; Problem 429 `too_many_at_once`, 503 `busy`
 */
export async function renderStepCommand(
  step: StartingStep,
  sources: StepSources,
  facts?: CommandFacts,
): Promise<StepCommand> {
  const { values, renderer } = sources;
  const command = (text: string) => renderer.text('command', text, values, facts);
  const renderOptional = (text: string | null) => (text === null ? null : command(text));
  switch (step.type) {
    case 'command': {
      const [unless, rendered] = await Promise.all([renderOptional(step.unless), command(step.command)]);
      return { ...toProgramSettings(step), command: rendered, unless };
    }
    case 'script': {
      const script = findScript(step, sources.library);
      const args = step.arguments.map((text) => renderer.text('argument', text, values, facts));
      const [unless, ...rendered] = await Promise.all([renderOptional(step.unless), ...args]);
      return { ...toProgramSettings(step), command: renderScriptCommand(script, rendered), unless };
    }
    case 'template': {
      const [unless, content, validate, rules] = await Promise.all([
        renderOptional(step.unless),
        renderTemplate(step, sources, 'shown', facts),
        renderOptional(step.validate),
        renderStepPath(step, sources, facts),
      ]);
      const display = values.some(({ secret }) => secret) ? {} : { displayFile: content };
      return {
        ...FILE_STEP_RULES,
        ...display,
        become: step.become,
        command: renderTemplateCommand(rules, content, validate),
        unless,
      };
    }
    case 'file': {
      const content = Buffer.from(findFile(step, sources.library).base64, 'base64');
      const [unless, rules] = await Promise.all([renderOptional(step.unless), renderStepPath(step, sources, facts)]);
      return { ...FILE_STEP_RULES, become: step.become, command: renderTemplateCommand(rules, content, null), unless };
    }
  }
}

/** Returns the step with the rendered path. Throws the same errors as `renderStepCommand`. */
export const renderStepPath = async <Step extends WritingStep>(
  step: Step,
  { values, renderer }: StepSources,
  facts?: CommandFacts,
): Promise<Step> => ({ ...step, path: await renderer.text('path', step.path, values, facts) });

/**
 * Returns the content that a step writes. A template is masked for display.
 * @throws CommandTemplateError
 */
export const renderWrittenContent = (
  step: WritingStep,
  sources: StepSources,
  secrets: 'shown' | 'masked',
  facts?: CommandFacts,
): Promise<string | Buffer> =>
  step.type === 'template'
    ? renderTemplate(step, sources, secrets, facts)
    : Promise.resolve(Buffer.from(findFile(step, sources.library).base64, 'base64'));

/**
 * Returns the rendered file of a step, masked for display.
 * @throws CommandTemplateError
 */
export async function renderTemplate(
  step: TemplateStep,
  { library, values, renderer }: StepSources,
  secrets: 'shown' | 'masked',
  facts?: CommandFacts,
): Promise<string> {
  const { content } = findTemplate(step, library);
  try {
    return await renderer.render({ content, values, facts, secrets });
  } catch (error) {
    const { code, message } = templateFault(error);
    throw new CommandTemplateError(code, `The template of "${step.path}": ${message}`);
  }
}

/** Start of Liquid markup. Text without markup is not rendered. */
const TEMPLATE_MARKUP = /\{[{%]/;

/** Whether the step has nothing to render, so that the values of hosts make no difference. */
export const hasVerbatimCommand = (step: StartingStep): boolean =>
  !writesFile(step) && listRenderedTexts(step).every(({ text }) => !TEMPLATE_MARKUP.test(text));

/**
 * Returns the facts that the rendering needs. If there are none, the rendered step is the same on every host. Throws
 * the same errors as `renderStepCommand`.
 */
export async function findStepFactNeeds(step: StartingStep, sources: StepSources): Promise<FactNeeds> {
  const { values, renderer } = sources;
  const needs = listRenderedTexts(step).map(({ kind, text }) => renderer.needs(kind, text, values));
  const file = step.type === 'template' ? [findTemplateFactNeeds(step, sources)] : [];
  return combineNeeds(await Promise.all([...needs, ...file]));
}

function listRenderedTexts(step: StartingStep): { kind: TextKind; text: string }[] {
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

async function findTemplateFactNeeds(
  step: TemplateStep,
  { library, values, renderer }: StepSources,
): Promise<FactNeeds> {
  const { content } = findTemplate(step, library);
  try {
    return omitHiddenNames(await renderer.check(content), values);
  } catch (error) {
    const { code, message } = templateFault(error);
    throw new CommandTemplateError(code, `The template of "${step.path}": ${message}`);
  }
}

export interface RunScript {
  name: string;
  content: string;
  /** Program that runs the script, followed by the program's own arguments. */
  program: string[];
}

/**
 * Returns the script of a step and the program that runs it.
 * @throws CommandTemplateError
 */
export function findScript({ scriptId, interpreter }: ScriptStep, library: FrozenLibrary | undefined): RunScript {
  const script = library && Object.hasOwn(library.scripts, scriptId) ? library.scripts[scriptId] : undefined;
  if (!script) throw new CommandTemplateError('script_missing', 'The run does not contain this script.');
  const { name, content, interpreterArguments = [] } = script;
  return {
    name,
    content,
    program: interpreter === null ? [script.interpreter, ...interpreterArguments] : [interpreter],
  };
}

/**
 * Returns likely mistakes in the script of a step, for display.
 * @throws CommandTemplateError
 */
export function listStepWarnings(step: ScriptStep, library: FrozenLibrary | undefined): string[] {
  const { program, content } = findScript(step, library);
  return scriptWarnings(program, content).map(({ message }) => message);
}

/** @throws CommandTemplateError */
export function findFile(step: FileStep, library: FrozenLibrary | undefined): FrozenFile {
  const key = toFileKey(toContentSource(step));
  const file = library?.files && Object.hasOwn(library.files, key) ? library.files[key] : undefined;
  if (!file) throw new CommandTemplateError('file_missing', 'The run does not contain this file.');
  return file;
}

/** @throws CommandTemplateError */
export function findTemplate(
  { templateId }: TemplateStep,
  library: FrozenLibrary | undefined,
): FrozenLibrary['templates'][string] {
  const template = library && Object.hasOwn(library.templates, templateId) ? library.templates[templateId] : undefined;
  if (!template) throw new CommandTemplateError('template_missing', 'The run does not contain this template.');
  return template;
}

const toProgramSettings = (step: CommandStep | ScriptStep): Omit<StepCommand, 'command' | 'unless'> => ({
  become: step.become,
  workingDirectory: step.workingDirectory,
  environment: step.environment,
  okExitCodes: step.okExitCodes,
  changedExitCodes: step.changedExitCodes,
  readOnly: step.readOnly,
  idempotent: step.idempotent,
  outputs: step.outputs.length > 0,
  reportsChange: false,
});

/** Idempotent: writing the same file again changes nothing, so the step may be repeated after a lost connection. */
const FILE_STEP_RULES = {
  workingDirectory: null,
  environment: {},
  okExitCodes: [0],
  changedExitCodes: [],
  readOnly: false,
  idempotent: true,
  outputs: false,
  reportsChange: true,
};

const combineNeeds = (needs: readonly FactNeeds[]): FactNeeds => ({
  host: needs.some(({ host }) => host),
  steps: needs.some(({ steps }) => steps),
});

/** Leaves out facts that the plan hides by a variable of the same name. */
const omitHiddenNames = ({ host, steps }: FactNeeds, names: readonly CommandName[]): FactNeeds => ({
  host: host && !names.some(({ name }) => name === 'host'),
  steps: steps && !names.some(({ name }) => name === 'steps'),
});
