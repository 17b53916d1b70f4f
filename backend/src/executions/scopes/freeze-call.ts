import type { ProblemItem } from '../../common/errors/problem-item.js';
import type { MatchBudget } from '../../common/text/linear-pattern.js';
import type { VariableValue } from '../../variables/variable-value.js';
import type { EnvironmentVariableValues } from '../../environments/variables/variable-vault.js';
import { getCallerVariable } from '../../plans/steps/fields/caller-variable.js';
import type { CallStep } from '../../plans/steps/types/call.step.js';
import type { PlanContent } from '../../plans/steps/plan-content.js';
import { resolveVariables } from '../../plans/variables/resolve-variables.js';
import { type RunValue, toScopeSecretKey } from '../record/host-values.js';
import { ITEM_VARIABLE } from '../../plans/steps/fields/loop.fields.js';
import type { FrozenCall, FrozenScope } from '../record/run-content.js';
import type { ScopeValues } from './scope-values.js';

export interface CallSources {
  environment: EnvironmentVariableValues;
  start: { values: Readonly<Record<string, VariableValue>>; secretNames?: readonly string[] };
  secrets: Readonly<Record<string, VariableValue>>;
  /** Server values by name: the distinct values, and the number of hosts that have one. */
  own: ReadonlyMap<string, { values: readonly RunValue[]; hosts: number }>;
  hosts: number;
  budget: MatchBudget;
}

/** Returns the name of the server value that sets a variable of a scope; null = the variable takes no server value. */
export function findOwnVariableName(scopes: readonly FrozenScope[], scope: number | null, name: string): string | null {
  const frozen = scope === null ? undefined : scopes[scope];
  if (!frozen) return name;
  if (frozen.item !== undefined)
    return name === ITEM_VARIABLE ? null : findOwnVariableName(scopes, frozen.around, name);
  const { from = {}, given = [] } = frozen.call ?? {};
  const caller = Object.hasOwn(from, name) ? from[name] : undefined;
  if (caller !== undefined) return findOwnVariableName(scopes, frozen.around, caller);
  return given.includes(name) ? null : name;
}

/**
 * Resolves the variables of a called plan. Precedence, lowest first: default, environment, server, start, call.
 * @param place index of the new scope in the run
 * @param around scope that contains the call
 * @param secrets receives the secrets of this call only, by key
 */
export function freezeCall(
  { variables: definitions }: PlanContent,
  { variables: calledWith }: CallStep,
  around: { scopes: readonly FrozenScope[]; scope: number | null; values: ScopeValues },
  sources: CallSources,
  { place, secrets }: { place: number; secrets: Record<string, VariableValue> },
): { call: FrozenCall; problems: ProblemItem[] } {
  const declared = new Set(definitions.map(({ name }) => name));
  const call: FrozenCall = {
    definitions: definitions.map(({ name, type }) => ({ name, type })),
    variables: {},
    secrets: {},
    from: {},
    given: [],
  };
  const exportsByName = new Map(around.values.exports.map((each) => [each.name, each]));
  const values: Record<string, VariableValue> = {};
  const secretNames = [...(sources.start.secretNames ?? [])];
  for (const [name, value] of Object.entries(sources.start.values)) if (declared.has(name)) values[name] = value;
  for (const [name, value] of Object.entries(calledWith)) {
    const caller = getCallerVariable(value);
    if (caller === null) {
      values[name] = value;
      call.given.push(name);
      continue;
    }
    call.from[name] = caller;
    const given = exportsByName.get(caller);
    // If the caller's variable is unset, the variable of the called plan is unset too, despite its default.
    if (given) values[name] = given.value;
    else delete values[name];
    if (given?.secret) secretNames.push(name);
  }
  const resolution = resolveVariables({
    definitions,
    budget: sources.budget,
    layers: [
      { source: 'environment', ...omitValues(sources.environment, call.from) },
      { source: 'start', values, secretNames },
    ],
  });
  const scopes = [...around.scopes, { around: around.scope, call }];
  const problems = resolution.problems.filter(
    ({ path, code }) => code !== 'required' || ownValuesOf(path.split('/')[2] ?? '')?.hosts !== sources.hosts,
  );
  for (const definition of definitions) {
    for (const { value, secret } of ownValuesOf(definition.name)?.values ?? []) {
      const layer = {
        source: 'server' as const,
        values: { [definition.name]: value },
        secretNames: secret ? [definition.name] : [],
      };
      const resolved = resolveVariables({ definitions: [definition], layers: [layer], budget: sources.budget });
      problems.push(...resolved.problems);
    }
  }
  for (const { name, value, secret } of resolution.values) {
    if (value === null || Object.hasOwn(call.from, name)) continue;
    if (!secret) {
      call.variables[name] = value;
      continue;
    }
    const shared = Object.hasOwn(sources.secrets, name) && sources.secrets[name] === value;
    const key = shared ? name : toScopeSecretKey(name, place);
    call.secrets[name] = key;
    if (!shared) secrets[key] = value;
  }
  return { call, problems };

  function ownValuesOf(variable: string): ReturnType<CallSources['own']['get']> {
    const name = findOwnVariableName(scopes, place, variable);
    return name === null ? undefined : sources.own.get(name);
  }
}

function omitValues({ values, ...environment }: EnvironmentVariableValues, taken: object): EnvironmentVariableValues {
  return {
    ...environment,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(taken, name))),
  };
}
