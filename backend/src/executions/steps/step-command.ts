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
import { filePathNeeds, renderFilePath } from '../../plans/rendering/file-path.js';
import { argumentNeeds, renderArgument } from '../../plans/rendering/render-argument.js';
import {
  type CommandName,
  commandNeeds,
  CommandTemplateError,
  type CommandValue,
  renderCommand,
} from '../../plans/rendering/render-command.js';
import { templateFault } from '../../templates/rendering/template-fault.js';
import type { Renderer } from '../../templates/rendering/template-renderer.js';
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
  readonly renderer: Renderer;
}

/**
 * Renders what the step starts. Facts are needed when `stepNeeds` says so.
 *
 * @throws CommandTemplateError
 */
export async function stepCommand(
  step: StartingStep,
  sources: StepSources,
  facts?: CommandFacts,
): Promise<StepCommand> {
  const { values } = sources;
  const unless = step.unless === null ? null : renderCommand(step.unless, values, facts);
  switch (step.type) {
    case 'command':
      return { ...programOf(step), command: renderCommand(step.command, values, facts), unless };
    case 'script': {
      const script = scriptOf(step, sources.library);
      const args = step.arguments.map((text) => renderArgument(text, values, facts));
      return { ...programOf(step), command: scriptCommand(script, args), unless };
    }
    case 'template': {
      const content = await renderedTemplate(step, sources, 'shown', facts);
      const validate = step.validate === null ? null : renderCommand(step.validate, values, facts);
      const rules = withPath(step, values, facts);
      const command = templateCommand(rules, content, validate);
      const shown = values.some(({ secret }) => secret) ? {} : { shownFile: content };
      return { ...FILE_RULES, ...shown, become: step.become, command, unless };
    }
    case 'file': {
      const content = Buffer.from(fileOf(step, sources.library).base64, 'base64');
      const rules = withPath(step, values, facts);
      return { ...FILE_RULES, become: step.become, command: templateCommand(rules, content, null), unless };
    }
  }
}

/** The step with the path that it writes on a host. @throws CommandTemplateError */
export const withPath = <Step extends WritingStep>(
  step: Step,
  values: readonly CommandValue[],
  facts?: CommandFacts,
): Step => ({ ...step, path: renderFilePath(step.path, values, facts) });

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
export function startsVerbatim(step: StartingStep): boolean {
  if (writesFile(step)) return false;
  const texts = step.type === 'command' ? [step.command] : step.arguments;
  return [...texts, step.unless ?? ''].every((text) => !MARKUP.test(text));
}

/** Which facts the rendering of a step needs: when neither, it is the same on every host. @throws CommandTemplateError */
export async function stepNeeds(step: StartingStep, { library, values, renderer }: StepSources): Promise<FactNeeds> {
  const commands = step.unless === null ? [] : [step.unless];
  if (step.type === 'command') return together([...commands, step.command].map((text) => commandNeeds(text, values)));
  const needs = commands.map((text) => commandNeeds(text, values));
  if (step.type === 'script') return together([...needs, ...step.arguments.map((text) => argumentNeeds(text, values))]);
  needs.push(filePathNeeds(step.path, values));
  if (step.type === 'file') return together(needs);
  if (step.validate !== null) needs.push(commandNeeds(step.validate, values));
  try {
    const found = await renderer.check(templateOf(step, library).content);
    return together([...needs, unlessHidden(found, values)]);
  } catch (error) {
    if (error instanceof CommandTemplateError) throw error;
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
