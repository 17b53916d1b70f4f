import type { LoopFields } from '../fields/loop.fields.js';
import { PROGRAM, type ProgramFields } from '../fields/program.fields.js';
import type { StepBase } from '../fields/step-base.js';
import { WRITTEN_FILE, type WrittenFileFields } from '../fields/written-file.fields.js';
import { CALL, type CallStep } from './call.step.js';
import { COMMAND } from './command.step.js';
import { FILE } from './file.step.js';
import { GATE } from './gate.step.js';
import { SCRIPT } from './script.step.js';
import type { FieldGroup, ReferenceField, StepTypeDefinition } from './step-type.js';
import { TEMPLATE } from './template.step.js';
import { WAIT } from './wait.step.js';

/** All step types, in the order of the API description. */
const DEFINITIONS = {
  command: COMMAND,
  script: SCRIPT,
  template: TEMPLATE,
  file: FILE,
  wait: WAIT,
  gate: GATE,
  plan: CALL,
};

export type StepType = keyof typeof DEFINITIONS;
export const STEP_TYPES = Object.keys(DEFINITIONS) as StepType[];

type StepOf<Definition> = Definition extends { check(step: infer Step, known: never): unknown } ? Step : never;
type StepByType = { [Type in StepType]: StepOf<(typeof DEFINITIONS)[Type]> };

/** Step of a run or plan, without loop. */
export type PlanStep = Exclude<StepByType[StepType], CallStep>;

export type ProgramStep = Extract<PlanStep, ProgramFields>;
export type WritingStep = Extract<PlanStep, WrittenFileFields>;

/** Step as written in the plan. In runs, calls and loops are already expanded. */
export type WrittenStep = (PlanStep | CallStep) & LoopFields;

export const STEP_DEFAULTS = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([type, { defaults }]) => [type, defaults]),
) as { [Type in StepType]: Omit<StepByType[Type], 'key' | 'name'> & LoopFields };

export const STEP_REFERENCES: readonly ReferenceField[] = Object.values(DEFINITIONS).flatMap((definition) =>
  'reference' in definition ? [definition.reference] : [],
);

/** All groups of fields that step types have, each once. */
export const FIELD_GROUPS = [...new Set(Object.values(DEFINITIONS).flatMap(({ fields }): FieldGroup[] => [...fields]))];

type Intersect<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All & object
  : never;
type Groups = (typeof DEFINITIONS)[StepType]['fields'][number];
type FieldsOf<Group> = Group extends FieldGroup<infer Request, infer View> ? { request: Request; view: View } : never;
/** Type-specific fields of all step types, in requests and in responses. */
export type OwnRequestFields = Intersect<FieldsOf<Groups>['request']>;
export type OwnViewFields = Intersect<FieldsOf<Groups>['view']>;

export function getDefinition<Step extends StepBase & { type: StepType }>({
  type,
}: Pick<Step, 'type'>): StepTypeDefinition<Step> {
  return DEFINITIONS[type] as unknown as StepTypeDefinition<Step>;
}

export const listOutputs = (step: WrittenStep): readonly string[] => getDefinition(step).listOutputs(step);

/** Whether the step runs a command or script of the user. */
export const runsProgram = (step: WrittenStep): step is ProgramStep => getDefinition(step).fields.includes(PROGRAM);

export const writesFile = (step: WrittenStep): step is WritingStep => getDefinition(step).fields.includes(WRITTEN_FILE);
