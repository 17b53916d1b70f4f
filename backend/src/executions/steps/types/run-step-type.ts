import type { CommandFacts, FactNeeds } from '../../../plans/rendering/command-facts.js';
import type { CommandValue } from '../../../plans/rendering/render-command.js';
import type { StepRendering } from '../../../plans/rendering/step-renderer.js';
import type { TextKind } from '../../../plans/rendering/text-task.js';
import type { ProgramFields } from '../../../plans/steps/fields/program.fields.js';
import type { StartFields } from '../../../plans/steps/fields/start.fields.js';
import type { StepBase } from '../../../plans/steps/fields/step-base.js';
import type { ProbeTarget } from '../../../transport/connection/wait-probe.js';
import type { FrozenLibrary } from '../../record/run-content.js';
import type { Prediction, RenderForecast } from './prediction.js';

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
  extends Pick<
    ProgramFields,
    'become' | 'workingDirectory' | 'okExitCodes' | 'changedExitCodes' | 'readOnly' | 'idempotent' | 'outputs'
  > {
  timeoutSeconds: number;
  /** Whether the trailer reports changes, instead of an exit code. */
  reportsChange: boolean;
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

export interface RunScript {
  name: string;
  content: string;
  /** Program that runs the script, followed by the program's own arguments. */
  program: string[];
}

export interface StepText {
  text: string;
  /** False = parts of the text are still templates, because they depend on earlier steps or the host. */
  rendered: boolean;
}

/** How runs describe and predict steps of a type. */
export interface RunStepTypeBase<Step> {
  /** Fields that `getSubject` covers. */
  readonly subjectFields: readonly (keyof Step)[];
  /** Returns the unrendered main content, such as the command or the path. */
  getSubject(step: Step): string;
  /** Returns the unrendered line for lists of steps; undefined = the subject. */
  getLine?(step: Step, library: FrozenLibrary | undefined): string;
  /** Returns the effect of the step as text, rendered with values. Names replace secrets. */
  describe(step: Step, sources: StepSources): Promise<StepText>;
}

export interface PredictedOnHosts<Step> {
  /** Predicts the step on a host that can run it. */
  predict(step: Step, forecast: RenderForecast, isProtected: boolean): Prediction;
}

/** Starts a command on each host. */
export interface CommandStepType<Step extends StepBase & StartFields>
  extends RunStepTypeBase<Step>,
    PredictedOnHosts<Step> {
  readonly runs: 'command';
  /** Whether the rendering takes a thread, so that it is done ahead for hosts that start soon. */
  readonly rendersInThread: boolean;
  getRules(step: Step): StepRules;
  /** Returns the texts that `render` renders, except `unless`. */
  listRenderedTexts(step: Step): readonly { kind: TextKind; text: string }[];
  /** Returns the facts that content from the library needs. @throws CommandTemplateError */
  findContentNeeds?(step: Step, sources: StepSources): Promise<FactNeeds>;
  /** Renders everything except `unless`. @throws CommandTemplateError */
  render(
    step: Step,
    sources: StepSources,
    facts: CommandFacts | undefined,
  ): Promise<Omit<StepCommand, 'become' | 'unless'>>;
  /** Returns the script that the step runs. @throws CommandTemplateError */
  getScript?(step: Step, library: FrozenLibrary | undefined): RunScript;
}

export interface WritingStepType<Step extends StepBase & StartFields> extends CommandStepType<Step> {
  /** Returns the content of the file: a text, or the bytes of any file. @throws CommandTemplateError */
  renderContent(
    step: Step,
    sources: StepSources,
    secrets: 'shown' | 'masked',
    facts?: CommandFacts,
  ): Promise<string | Buffer>;
}

/** Starts nothing: waits until the host can reach a target. */
export interface WaitStepType<Step extends StepBase> extends RunStepTypeBase<Step>, PredictedOnHosts<Step> {
  readonly runs: 'wait';
  getTarget(step: Step): ProbeTarget;
}

/** Runs on no host: the run waits for a person. */
export interface PauseStepType<Step extends StepBase> extends RunStepTypeBase<Step> {
  readonly runs: 'pause';
  predict(step: Step): Prediction;
}
