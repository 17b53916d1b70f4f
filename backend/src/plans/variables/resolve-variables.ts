import type { ProblemItem } from '../../common/errors/problem-item.js';
import { toPointerPart, shortenText } from '../../common/text/shorten.js';
import { createMatchBudget, type MatchBudget } from '../../common/text/linear-pattern.js';
import { suggestName } from '../../common/text/nearest-name.js';
import type { VariableDefinition } from './variable-definition.js';
import { type VariableType, type VariableValue, findValueFault } from '../../variables/variable-value.js';

/** Sources of values, weakest first. */
export const VARIABLE_SOURCES = ['plan', 'environment', 'server', 'start'] as const;
export type VariableSource = (typeof VARIABLE_SOURCES)[number];

export interface VariableLayer {
  readonly source: VariableSource;
  readonly values: Readonly<Record<string, unknown>>;
  /** Names of values that are secret in this layer, regardless of the declared type. */
  readonly secretNames?: readonly string[];
}

export interface ResolvedVariable {
  readonly name: string;
  readonly type: VariableType;
  readonly value: VariableValue | null;
  readonly source: VariableSource | null;
  /** Whether the value must not be shown, logged or written into a command. */
  readonly secret: boolean;
}

export interface VariableResolution {
  /** Values of the declared variables, in the plan's order. Unusable if there are problems. */
  readonly values: ResolvedVariable[];
  readonly problems: ProblemItem[];
}

export interface ResolveRequest {
  readonly definitions: readonly VariableDefinition[];
  readonly layers: readonly VariableLayer[];
  readonly path?: string;
  readonly budget?: MatchBudget;
}

const MAX_PROBLEMS = 100;

/**
 * Resolves the value of each declared variable. Precedence, lowest first: plan default, environment, server, start; the
 * order of `layers` does not matter. Unknown names are problems only in the plan and the start, because environments
 * and servers may have values for other plans. Values are not converted.
 */
export function resolveVariables({
  definitions,
  layers,
  path = '/variables',
  budget = createMatchBudget(),
}: ResolveRequest): VariableResolution {
  const ordered = VARIABLE_SOURCES.flatMap((source) => layers.filter((layer) => layer.source === source));
  const problems = findUnknownNames(definitions, ordered, path);
  const values = definitions.map((definition) => {
    const found = ordered.findLast(
      ({ values: layerValues }) => getOwnProperty(layerValues, definition.name) !== undefined,
    );
    const given = found ? getOwnProperty(found.values, definition.name) : (definition.default ?? undefined);
    const secret = definition.type === 'secret' || layers.some((layer) => layer.secretNames?.includes(definition.name));
    const problem = findValueProblem(definition, given, { source: found?.source ?? 'plan', secret, budget }, path);
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

function findValueProblem(
  definition: VariableDefinition,
  layerValues: unknown,
  { source, secret, budget }: { source: VariableSource; secret: boolean; budget: MatchBudget },
  path: string,
): ProblemItem | null {
  const at = `${path}/${toPointerPart(definition.name)}`;
  if (layerValues === undefined) {
    if (!definition.required) return null;
    const message = `Give a value for "${definition.name}" (${definition.type}); the plan cannot start without it.`;
    return { path: at, code: 'required', message };
  }
  const fault = findValueFault(definition, layerValues, budget);
  if (!fault) return null;
  const origin = source === 'start' ? '' : ` This value comes from the ${source}.`;
  return {
    path: fault.item === undefined ? at : `${at}/${fault.item}`,
    code: fault.code,
    // Only messages for the type secret omit the value. Messages for other types may contain it, for example as nearest
    // choice.
    message: `${secret && definition.type !== 'secret' ? `The secret value of "${definition.name}" does not fit what the plan declares (${definition.type}).` : fault.message}${origin}`,
  };
}

function findUnknownNames(
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
        path: `${path}/${toPointerPart(name)}`,
        code: 'unknown_variable',
        message: `The plan has no variable "${shortenText(name)}". ${suggestName(name, known, 'variable')}`,
      });
    }
  }
  return problems;
}

const getOwnProperty = (values: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;
