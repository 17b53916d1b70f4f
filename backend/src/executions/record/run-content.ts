import type { VariableValue } from '../../variables/variable-value.js';
import { type PlanContent, readPlanContent } from '../../plans/steps/plan-content.js';
import { getDefinition, type PlanStep } from '../../plans/steps/types/step-types.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';
import type { ContentSource, FrozenSource } from '../../library/library-kind.js';
import type { TemplateContent } from '../../templates/template.reader.js';

/** Call or list item that contains a step. */
export interface ScopePart {
  /** Key of the step with the call or list, in that step's own plan. */
  key: string;
  /** Null: the part is only a list item. */
  plan: { id: string; name: string; revision: number } | null;
  /** Null: the part is only a call. */
  item: { value: string; index: number } | null;
}

/** Condition of a call. Steps of the called plan run only where it is true. */
export interface OuterCondition {
  when: string;
  /** Index of the scope whose values the condition uses; null: values of the run's own plan. */
  values: number | null;
  prefix: string;
}

/** Origin of a step from a called plan or a list item. */
export interface StepScope {
  /** Index of the scope whose values the step uses; null: values of the run's own plan. */
  values: number | null;
  /** Prefix that the keys of the step's plan have in this run, such as `deploy/`. */
  prefix: string;
  /** Outermost first. */
  path: ScopePart[];
  /** Outermost first. */
  outer: OuterCondition[];
}

export type RunStep = PlanStep & { scope?: StepScope };

/** Content of a run: the plan after its calls and lists are expanded. */
export type RunContent = Omit<PlanContent, 'steps'> & { steps: RunStep[] };

/** Values for the steps of one call or list item. */
export interface FrozenScope {
  /** Index of the enclosing scope; null: the run's own plan. */
  around: number | null;
  /** All other names come from the enclosing scope. */
  item?: string;
  /** Values of a call. Its steps see only variables that the called plan declares. */
  call?: FrozenCall;
}

export interface FrozenCall {
  definitions: Pick<VariableDefinition, 'name' | 'type'>[];
  /** Values that all hosts share. They come from the call, start, environment or called plan. */
  variables: Record<string, VariableValue>;
  /** Shared secrets: key in the run's sealed secrets, by name. */
  secrets: Record<string, string>;
  /** Variable of the enclosing scope that each name takes its value from. */
  from: Record<string, string>;
  /** Names that the call sets. They override values of servers. */
  given: string[];
}

export interface FrozenCalledPlan {
  planId: string;
  name: string;
  revision: number;
  parallelSafe: boolean;
}

/** Reads the content of a snapshot. Fills in fields that older snapshots lack. */
export function readRunContent(stored: object): RunContent {
  const content = readPlanContent(stored);
  return { ...content, steps: content.steps.map(removeLoop) };
}

/** `forEach` is dropped: lists are already expanded, and steps from before lists existed lack it. */
function removeLoop({ forEach: _, ...step }: PlanContent['steps'][number]): RunStep {
  if (step.type === 'plan') throw new Error(`The step "${step.key}" of a run calls a plan.`);
  return step;
}

export interface FrozenFile extends FrozenSource {
  base64: string;
}

export interface FrozenScript {
  name: string;
  revision: number;
  /** Program that runs the script: the script's interpreter, that of its first line, or the default. */
  interpreter: string;
  interpreterArguments?: string[];
  content: string;
  /** Source file and commit; absent: Runward stores the content itself. */
  git?: FrozenSource;
}

export interface FrozenLibrary {
  scripts: Record<string, FrozenScript>;
  templates: Record<string, TemplateContent>;
  files?: Record<string, FrozenFile>;
}

/** Returns the key that all steps with the same file share. */
export const toFileKey = ({ gitSourceId, path, ref }: ContentSource): string =>
  JSON.stringify([gitSourceId, ref, path]);

/** Returns the library's content from git sources, each with its purpose. */
export function listFrozenSources(library: FrozenLibrary | undefined): (FrozenSource & { usedAs: string })[] {
  if (!library) return [];
  const of = (kind: string, records: Record<string, { name: string; git?: FrozenSource }>) =>
    Object.values(records).flatMap(({ name, git }) => (git ? [{ ...git, usedAs: `${kind} ${name}` }] : []));
  const files = Object.values(library.files ?? {}).map(({ base64: _, ...source }) => ({ ...source, usedAs: 'file' }));
  return [...of('script', library.scripts), ...of('template', library.templates), ...files];
}

export interface ScopedCondition {
  when: string;
  /** Null = the run's own plan. */
  values: number | null;
  prefix: string;
}

/**
 * Returns the conditions that must all be true for a step to run on a host: those of the surrounding calls, then its
 * own.
 */
export const listStepConditions = ({ when, scope }: Pick<RunStep, 'when' | 'scope'>): ScopedCondition[] => [
  ...(scope?.outer ?? []),
  ...(when === null ? [] : [{ when, values: scope?.values ?? null, prefix: scope?.prefix ?? '' }]),
];

/** Returns the frozen content that a step uses: a script, template or file; null = none. */
export function findFrozenContent(step: PlanStep, library: FrozenLibrary | undefined) {
  const content = getDefinition(step).getContent(step);
  if (!content || !library) return null;
  if (content.kind === 'file') return library.files?.[toFileKey(content.source)] ?? null;
  return (content.kind === 'script' ? library.scripts : library.templates)[content.id] ?? null;
}

/** Returns the frozen template that a step renders; null = none. */
export function findFrozenTemplate(step: PlanStep, library: FrozenLibrary | undefined): TemplateContent | null {
  const content = getDefinition(step).getContent(step);
  return content?.kind === 'template' ? (library?.templates[content.id] ?? null) : null;
}
