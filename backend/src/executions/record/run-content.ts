import type { VariableValue } from '../../common/variables/variable-value.js';
import { type PlanContent, type PlanStep, readPlanContent } from '../../plans/steps/plan-content.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';

/** Call of a plan, or item of a list, that contains a step. */
export interface ScopePart {
  /** Key of the step with the call or list, in its own plan. */
  key: string;
  /** Null: only a list item. */
  plan: { id: string; name: string; revision: number } | null;
  /** Null: only a call. */
  item: { value: string; index: number } | null;
}

/** Condition of a call: steps of the called plan run only where it is true. */
export interface OuterCondition {
  when: string;
  /** Index of the scope whose values it uses; null: values of the run's own plan. */
  values: number | null;
  prefix: string;
}

/** Origin of a step that comes from a called plan or a list item. */
export interface StepScope {
  /** Index of the scope whose values the step uses; null: values of the run's own plan. */
  values: number | null;
  /** Prefix in this run of the step keys of its plan, such as `deploy/`. */
  prefix: string;
  /** Outermost first. */
  path: ScopePart[];
  /** Conditions of the calls that contain the step, outermost first. */
  outer: OuterCondition[];
}

/** Step of a run, with calls and lists expanded. */
export type RunStep = PlanStep & { scope?: StepScope };

/** Content of a run: the plan with its calls and lists expanded. */
export type RunContent = Omit<PlanContent, 'steps'> & { steps: RunStep[] };

/** Values for the steps of one call or list item. */
export interface FrozenScope {
  /** Index of the enclosing scope; null: the run's own plan. */
  around: number | null;
  /** Value of the item. All other names come from the enclosing scope. */
  item?: string;
  /** Values of a call. Only variables that the called plan declares are visible. */
  call?: FrozenCall;
}

export interface FrozenCall {
  definitions: Pick<VariableDefinition, 'name' | 'type'>[];
  /** Values shared by all hosts, from the call, start, environment or called plan. */
  variables: Record<string, VariableValue>;
  /** Shared secrets: name to key among the run's sealed secrets. */
  secrets: Record<string, string>;
  /** Names that take the value of a variable of the enclosing scope. */
  from: Record<string, string>;
  /** Names that the call sets. They override values of servers. */
  given: string[];
}

/** Plan that is called directly or indirectly by the plan of a run. */
export interface FrozenCalledPlan {
  planId: string;
  name: string;
  revision: number;
  parallelSafe: boolean;
}

/** Reads the content of a snapshot and fills in fields that older snapshots lack. */
export function readRunContent(stored: object): RunContent {
  const content = readPlanContent(stored);
  return { ...content, steps: content.steps.map(withoutList) };
}

/** Drops `forEach`: lists are expanded, and steps that were frozen before lists existed lack the field. */
function withoutList({ forEach: _, ...step }: PlanContent['steps'][number]): RunStep {
  if (step.type === 'plan') throw new Error(`The step "${step.key}" of a run calls a plan.`);
  return step;
}
