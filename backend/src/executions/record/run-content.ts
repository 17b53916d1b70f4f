import type { VariableValue } from '../../common/variables/variable-value.js';
import { type PlanContent, type PlanStep, readPlanContent } from '../../plans/steps/plan-content.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';

/** A call of a plan or an item of a list that a step of a run stands in. */
export interface ScopePart {
  /** Of the step that calls or goes through the list, in its own plan. */
  key: string;
  /** Null: it only goes through a list. */
  plan: { id: string; name: string; revision: number } | null;
  /** Null: it only calls. */
  item: { value: string; index: number } | null;
}

/** A condition of a call: no step of the called plan runs where it does not hold. */
export interface OuterCondition {
  when: string;
  /** Which values it is for; null: those of the run's own plan. */
  values: number | null;
  prefix: string;
}

/** Where a step of a run comes from that does not stand in the run's plan as it is. */
export interface StepScope {
  /** Index of the scope whose values it is rendered with; null: those of the run's own plan. */
  values: number | null;
  /** What the keys of the steps of its own plan begin with in this run, such as `deploy/`. */
  prefix: string;
  /** The outermost first. */
  path: ScopePart[];
  /** Of the calls that it stands in, the outermost first. */
  outer: OuterCondition[];
}

/** A step as a run has it: it calls no plan and goes through no list. */
export type RunStep = PlanStep & { scope?: StepScope };

/** What a run does: the plan with its calls and lists written out. */
export type RunContent = Omit<PlanContent, 'steps'> & { steps: RunStep[] };

/** What the steps of one call, or of one item, are rendered with. */
export interface FrozenScope {
  /** The one around it; null: the run's own plan. */
  around: number | null;
  /** All other names are those of the scope around. */
  item?: string;
  /** Of a call: only what the called plan declares has a name there. */
  call?: FrozenCall;
}

export interface FrozenCall {
  definitions: Pick<VariableDefinition, 'name' | 'type'>[];
  /** Values that hosts share: given by the call, the start, the environment, or the called plan. */
  variables: Record<string, VariableValue>;
  /** The same of secrets: under which key each stands among the run's. */
  secrets: Record<string, string>;
  /** Names that have the value of a variable of the scope around. */
  from: Record<string, string>;
  /** Names whose value the call gives: what servers have of their own does not count. */
  given: string[];
}

/** A plan that a run's plan calls, itself or by another one. */
export interface FrozenCalledPlan {
  planId: string;
  name: string;
  revision: number;
  parallelSafe: boolean;
}

/** The content that a run's snapshot holds, also one from before a field was known. */
export function readRunContent(stored: object): RunContent {
  const content = readPlanContent(stored);
  return { ...content, steps: content.steps.map(withoutList) };
}

/** A run's step goes through no list: the field would only tell it from what runs froze before there was one. */
function withoutList({ forEach: _, ...step }: PlanContent['steps'][number]): RunStep {
  if (step.type === 'plan') throw new Error(`The step "${step.key}" of a run calls a plan.`);
  return step;
}
