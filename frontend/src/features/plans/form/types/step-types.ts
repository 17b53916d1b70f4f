import type { PlanStep, StepType } from '../../../../api/types';
import { CALL } from './call';
import { COMMAND } from './command';
import { FILE } from './file';
import { GATE } from './gate';
import { SCRIPT } from './script';
import type { FormStepType } from './step-type';
import { TEMPLATE } from './template';
import { WAIT } from './wait';

/** All step types, in the order of the menu. */
const TYPES = {
  command: COMMAND,
  script: SCRIPT,
  template: TEMPLATE,
  file: FILE,
  wait: WAIT,
  gate: GATE,
  plan: CALL,
} satisfies Record<StepType, unknown>;

type Intersect<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
/** Fields of all types: what was entered for one type is kept while another one is selected. */
export type OwnRow = Intersect<(typeof TYPES)[StepType]['blank']>;

export const STEP_TYPES = Object.keys(TYPES) as StepType[];

export const formType = (type: StepType): FormStepType<OwnRow> => TYPES[type] as unknown as FormStepType<OwnRow>;

export const BLANK_OWN = Object.assign({}, ...STEP_TYPES.map((type) => formType(type).blank)) as OwnRow;

export const readOwn = (step: PlanStep): OwnRow =>
  Object.assign({}, ...STEP_TYPES.map((type) => formType(type).read(step))) as OwnRow;
