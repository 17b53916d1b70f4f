import type { StartFields } from '../../../plans/steps/fields/start.fields.js';
import type { StepBase } from '../../../plans/steps/fields/step-base.js';
import type { PlanStep, WritingStep } from '../../../plans/steps/types/step-types.js';
import { COMMAND } from './command.js';
import { FILE } from './file.js';
import { GATE } from './gate.js';
import type {
  CommandStepType,
  PauseStepType,
  PredictedOnHosts,
  RunStepTypeBase,
  WaitStepType,
  WritingStepType,
} from './run-step-type.js';
import { SCRIPT } from './script.js';
import { TEMPLATE } from './template.js';
import { WAIT } from './wait.js';

/** How runs execute each step type. A type without entry does not compile. */
const RUN_STEP_TYPES = {
  command: COMMAND,
  script: SCRIPT,
  template: TEMPLATE,
  file: FILE,
  wait: WAIT,
  gate: GATE,
} satisfies { [Type in PlanStep['type']]: RunStepTypeOf<Extract<PlanStep, { type: Type }>> };

type RunStepTypeOf<Step extends StepBase> = Step extends WritingStep
  ? WritingStepType<Step>
  : (Step extends StartFields ? CommandStepType<Step> : never) | WaitStepType<Step> | PauseStepType<Step>;

type StartingType = {
  [Type in PlanStep['type']]: (typeof RUN_STEP_TYPES)[Type] extends { runs: 'command' } ? Type : never;
}[PlanStep['type']];
/** Step that starts a command on hosts. */
export type StartingStep = Extract<PlanStep, { type: StartingType }>;

type RunStepType = RunStepTypeBase<PlanStep> &
  (({ readonly runs: 'command' } & PredictedOnHosts<PlanStep>) | WaitStepType<PlanStep> | PauseStepType<PlanStep>);

export const getRunStepType = ({ type }: Pick<PlanStep, 'type'>): RunStepType =>
  RUN_STEP_TYPES[type] as unknown as RunStepType;

export const getCommandStepType = ({ type }: Pick<StartingStep, 'type'>): CommandStepType<StartingStep> =>
  RUN_STEP_TYPES[type] as unknown as CommandStepType<StartingStep>;

export const getWritingStepType = ({ type }: Pick<WritingStep, 'type'>): WritingStepType<WritingStep> =>
  RUN_STEP_TYPES[type] as unknown as WritingStepType<WritingStep>;
