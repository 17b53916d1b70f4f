import { conflict, invalidRequest } from '../../common/errors/problem.js';
import type { VariableValue } from '../../variables/variable-value.js';
import type { CallStep } from '../../plans/steps/types/call.step.js';
import { listOutputs, type PlanStep } from '../../plans/steps/types/step-types.js';
import type { PlanContent } from '../../plans/steps/plan-content.js';
import type { RunValue } from '../record/host-values.js';
import type { Snapshot } from '../record/execution-row.js';
import type { FrozenScope, RunStep, ScopePart, StepScope } from '../record/run-content.js';
import { type CallSources, freezeCall, findOwnVariableName } from './freeze-call.js';
import { isPartOfStep } from './scope-facts.js';
import { ValuesByScope } from './scope-values.js';

const MAX_STEPS = 1000;
const MAX_PROBLEMS = 20;

export interface CalledPlan {
  id: string;
  name: string;
  revision: number;
  content: PlanContent;
}

export interface ExpandedPlan {
  steps: RunStep[];
  scopes: FrozenScope[];
  callOutputs: NonNullable<Snapshot['callOutputs']>;
  /** Secrets that a single call sets, by key. */
  secrets: Record<string, VariableValue>;
}

interface Expansion {
  content: PlanContent;
  called: ReadonlyMap<string, CalledPlan>;
  variables: Readonly<Record<string, VariableValue>>;
  sources: CallSources;
}

interface PlanPosition {
  prefix: string;
  scope: number | null;
  path: readonly ScopePart[];
  outer: StepScope['outer'];
  targets: string;
  always: boolean;
}

/**
 * Replaces each call with the steps of its plan, and each list with a step per item. Called plans contain no cycles.
 * @throws Problem 400 for a value that does not fit a called plan; 409 `too_many_steps`, `list_not_usable`
 */
export function expandPlan({ content, called, variables, sources }: Expansion): ExpandedPlan {
  const expandedPlan: ExpandedPlan = { steps: [], scopes: [], callOutputs: {}, secrets: {} };
  const links: { step: RunStep; prefix: string }[] = [];
  const shared: RunValue[] = [
    ...Object.entries(variables).map(([name, value]) => ({ name, value, secret: false })),
    ...Object.entries(sources.secrets).map(([name, value]) => ({ name, value, secret: true })),
  ].filter(({ name }) => !name.includes('/'));
  walk(content, { prefix: '', scope: null, path: [], outer: [], targets: '', always: false });
  const keys = expandedPlan.steps.map(({ key }) => key);
  for (const { step, prefix } of links)
    step.onlyIfChanged = step.onlyIfChanged.flatMap((key) => keys.filter((each) => isPartOfStep(each, prefix, key)));
  return expandedPlan;

  function valuesIn(scope: number | null) {
    const snapshot = { variables: {}, scopes: expandedPlan.scopes, plan: { variables: content.variables } };
    return ValuesByScope.create(snapshot, { ...sources.secrets, ...expandedPlan.secrets }, null, shared).getScopeValues(
      scope,
    );
  }

  function walk({ steps }: PlanContent, place: PlanPosition): void {
    for (const step of steps) {
      const { forEach = null, ...stepWithoutLoop } = step;
      const items = forEach === null ? [null] : itemsOf(forEach, step.key, place.scope);
      for (const [index, value] of items.entries()) {
        const item = value === null ? null : { value, index };
        const key = `${place.prefix}${step.key}${item ? `[${index}]` : ''}`;
        const scope = item ? addScope({ around: place.scope, item: item.value }) : place.scope;
        if (stepWithoutLoop.type === 'plan') call(stepWithoutLoop, { ...place, scope }, { key, item });
        else put(stepWithoutLoop, { ...place, scope }, { key, item });
      }
    }
  }

  function put(step: PlanStep, place: PlanPosition, { key, item }: { key: string; item: ScopePart['item'] }): void {
    const path = item ? [...place.path, { key: step.key, plan: null, item }] : place.path;
    const scope: StepScope = { values: place.scope, prefix: place.prefix, path: [...path], outer: place.outer };
    const written: RunStep = {
      ...step,
      key,
      targets: intersectSelectors(place.targets, step.targets),
      always: step.always || place.always,
      ...(place.scope === null ? {} : { scope }),
    };
    if (expandedPlan.steps.push(written) > MAX_STEPS)
      throw conflict(
        'too_many_steps',
        `With its called plans and the items of its lists, the plan has more than ${MAX_STEPS} steps. Split the plan, or shorten the lists.`,
      );
    links.push({ step: written, prefix: place.prefix });
  }

  function call(step: CallStep, place: PlanPosition, { key, item }: { key: string; item: ScopePart['item'] }): void {
    const plan = called.get(step.planId);
    if (!plan) throw new Error(`The plan called by "${key}" was not read.`);
    const scope = expandedPlan.scopes.length;
    const around = { scopes: expandedPlan.scopes, scope: place.scope, values: valuesIn(place.scope) };
    const frozen = freezeCall(plan.content, step, around, sources, { place: scope, secrets: expandedPlan.secrets });
    if (frozen.problems.length > 0)
      throw invalidRequest(
        frozen.problems.slice(0, MAX_PROBLEMS).map((problem) => ({
          ...problem,
          message: `Step "${key}" calls "${plan.name}": ${problem.message}`,
        })),
        'The run was not started.',
      );
    addScope({ around: place.scope, call: frozen.call });
    expandedPlan.callOutputs[key] = Object.fromEntries(
      Object.entries(step.outputsFrom).map(([name, from]) => {
        const [inner = '', output = ''] = from.split('.');
        requireOutput(plan, inner, output, key);
        return [name, { step: `${key}/${inner}`, output }];
      }),
    );
    const first = expandedPlan.steps.length;
    const { id, name, revision } = plan;
    walk(plan.content, {
      prefix: `${key}/`,
      scope,
      path: [...place.path, { key: step.key, plan: { id, name, revision }, item }],
      outer:
        step.when === null
          ? place.outer
          : [...place.outer, { when: step.when, values: place.scope, prefix: place.prefix }],
      targets: [place.targets, step.targets, plan.content.targets].reduce(intersectSelectors),
      always: place.always || step.always,
    });
    const begins = expandedPlan.steps[first];
    if (step.confirm && begins) begins.confirm = true;
  }

  function addScope(scope: FrozenScope): number {
    return expandedPlan.scopes.push(scope) - 1;
  }

  function itemsOf(list: string | string[], key: string, scope: number | null): string[] {
    if (typeof list !== 'string') return list;
    const found = valuesIn(scope).exports.find(({ name }) => name === list);
    const items = found?.value;
    const own = findOwnVariableName(expandedPlan.scopes, scope, list);
    const fault = found?.secret
      ? 'is secret'
      : own !== null && sources.own.has(own)
        ? 'differs from server to server'
        : !found
          ? 'has no value'
          : !Array.isArray(items) || items.length === 0
            ? 'has no items'
            : null;
    if (fault !== null)
      throw conflict('list_not_usable', `Step "${key}" repeats for each item of the list "${list}", which ${fault}.`);
    return (items as readonly unknown[]).map(String);
  }
}

function requireOutput({ name, content }: CalledPlan, key: string, output: string, call: string): void {
  const step = content.steps.find((each) => each.key === key);
  if (step && listOutputs(step).includes(output)) return;
  throw conflict(
    'called_plan_changed',
    `Step "${call}" uses the output "${output}" of step "${key}" of "${name}". That step no longer has this output. Select another output and save the plan.`,
  );
}

const intersectSelectors = (outer: string, inner: string): string =>
  [outer, inner].filter((each) => each.trim() !== '').join(',');
