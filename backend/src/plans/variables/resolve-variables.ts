import type { ProblemItem } from '../../common/errors/problem-item.js';
import { pointerPart, shown } from '../../common/errors/shown.js';
import { matchBudget, type MatchBudget } from '../../common/variables/linear-pattern.js';
import { suggestName } from '../../common/variables/nearest-name.js';
import type { VariableDefinition } from './variable-definition.js';
import { type VariableType, type VariableValue, valueFault } from '../../common/variables/variable-value.js';

/** Where a value comes from, the weakest first. */
export const VARIABLE_SOURCES = ['plan', 'environment', 'server', 'start'] as const;
export type VariableSource = (typeof VARIABLE_SOURCES)[number];

export interface VariableLayer {
  readonly source: VariableSource;
  readonly values: Readonly<Record<string, unknown>>;
  /** Names whose values are secret in this layer, whatever type the plan declares. */
  readonly secretNames?: readonly string[];
}

export interface ResolvedVariable {
  readonly name: string;
  readonly type: VariableType;
  /** Null when nothing gives a value. */
  readonly value: VariableValue | null;
  readonly source: VariableSource | null;
  /** Never to be shown, logged or written into a command. */
  readonly secret: boolean;
}

export interface Resolution {
  /** One for each declared variable, in the plan's order. Not to be used while there are problems. */
  readonly values: ResolvedVariable[];
  readonly problems: ProblemItem[];
}

export interface ResolveRequest {
  readonly definitions: readonly VariableDefinition[];
  readonly layers: readonly VariableLayer[];
  /** JSON pointer that the problems' paths start with. */
  readonly path?: string;
  /** What patterns may cost; shared by resolutions that belong together. */
  readonly budget?: MatchBudget;
}

/** A request full of faults is answered by the first ones. */
const MAX_PROBLEMS = 100;

/**
 * Gives each declared variable its value: plan default < environment < server < start request, whatever the order
 * of the layers. An environment and a server may hold values for other plans, so only the plan's and the start's
 * unknown names are problems. Nothing is converted.
 */
export function resolveVariables({
  definitions,
  layers,
  path = '/variables',
  budget = matchBudget(),
}: ResolveRequest): Resolution {
  const ordered = VARIABLE_SOURCES.flatMap((source) => layers.filter((layer) => layer.source === source));
  const problems = unknownNames(definitions, ordered, path);
  const values = definitions.map((definition) => {
    const found = ordered.findLast(({ values: given }) => own(given, definition.name) !== undefined);
    const given = found ? own(found.values, definition.name) : (definition.default ?? undefined);
    const secret = definition.type === 'secret' || layers.some((layer) => layer.secretNames?.includes(definition.name));
    const problem = problemOf(definition, given, { source: found?.source ?? 'plan', secret, budget }, path);
    if (problem && problems.length < MAX_PROBLEMS) problems.push(problem);
    const usable = problem === null && given !== undefined;
    return {
      name: definition.name,
      type: definition.type,
      value: usable ? (given as VariableValue) : null,
      source: usable ? (found?.source ?? ('plan' as const)) : null,
      secret,
    };
  });
  return { values, problems };
}

function problemOf(
  definition: VariableDefinition,
  given: unknown,
  { source, secret, budget }: { source: VariableSource; secret: boolean; budget: MatchBudget },
  path: string,
): ProblemItem | null {
  const at = `${path}/${pointerPart(definition.name)}`;
  if (given === undefined) {
    if (!definition.required) return null;
    const message = `Give a value for "${definition.name}" (${definition.type}); the plan cannot start without it.`;
    return { path: at, code: 'required', message };
  }
  const fault = valueFault(definition, given, budget);
  if (!fault) return null;
  const origin = source === 'start' ? '' : ` This value comes from the ${source}.`;
  return {
    path: fault.item === undefined ? at : `${at}/${fault.item}`,
    code: fault.code,
    // Only the type secret has messages that keep the value's own text out; others help with it, say the nearest choice.
    message: `${secret && definition.type !== 'secret' ? `The secret value of "${definition.name}" does not fit what the plan declares (${definition.type}).` : fault.message}${origin}`,
  };
}

function unknownNames(
  definitions: readonly VariableDefinition[],
  layers: readonly VariableLayer[],
  path: string,
): ProblemItem[] {
  const known = definitions.map((definition) => definition.name);
  const declared = new Set(known);
  const problems: ProblemItem[] = [];
  for (const { source, values } of layers) {
    if (source === 'environment' || source === 'server') continue;
    for (const name of Object.keys(values)) {
      if (problems.length >= MAX_PROBLEMS) return problems;
      if (declared.has(name)) continue;
      problems.push({
        path: `${path}/${pointerPart(name)}`,
        code: 'unknown_variable',
        message: `The plan has no variable "${shown(name)}". ${suggestName(name, known, 'variable')}`,
      });
    }
  }
  return problems;
}

const own = (values: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;
