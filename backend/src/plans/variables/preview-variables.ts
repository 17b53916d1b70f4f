import type { VariableValue } from '../../common/variables/variable-value.js';
import { type Resolution, resolveVariables, type VariableSource } from './resolve-variables.js';
import type { VariableDefinition } from './variable-definition.js';

type Source = Exclude<VariableSource, 'start'>;

/** What one source gives, as it may be shown: null for a secret, which nobody looks at. */
export interface ShownLayer {
  readonly source: Source;
  readonly values: ReadonlyMap<string, VariableValue | null>;
}

/** A value with where it comes from. */
export interface PreviewedVariable {
  name: string;
  definition: VariableDefinition | null;
  secret: boolean;
  value: VariableValue | null;
  source: Source | null;
  overrides: { source: Source; value: VariableValue | null }[];
  problem: string | null;
}

/**
 * What a start would take without giving values of its own: each variable of the plan in its order, then what is exported
 * beside them, by name. Secrets are never looked at, so that nobody learns them bit by bit from how a pattern takes them.
 * @param layers the weakest first, without the plan's defaults
 */
export function previewVariables(
  definitions: readonly VariableDefinition[],
  layers: readonly ShownLayer[],
): PreviewedVariable[] {
  const declared = definitions.map((definition) => {
    const given = layersOf(definition, layers);
    const secret =
      definition.type === 'secret' || given.some(({ source, value }) => source !== 'plan' && value === null);
    const [strongest, ...overrides] = given;
    // A value that is kept secret somewhere is not tried where it is plain either: it would be shown by its faults.
    const looked = strongest?.value === null ? null : problemOf(definition, strongest);
    return {
      name: definition.name,
      definition,
      secret,
      value: secret || looked?.ill ? null : (strongest?.value ?? null),
      source: looked?.ill ? null : (strongest?.source ?? null),
      overrides: overrides.map(({ source, value }) => ({ source, value: secret ? null : value })),
      problem: looked?.message ?? null,
    };
  });
  const names = new Set(definitions.map(({ name }) => name));
  const beside = [...new Set(layers.flatMap(({ values }) => [...values.keys()]))].filter((name) => !names.has(name));
  return [...declared, ...beside.sort().map((name) => exported(name, layers))];
}

/** Why a start on a server would be refused for the value that the server gives; null: it would not, or it is secret. */
export function serverValueProblem(definition: VariableDefinition | null, value: VariableValue | null): string | null {
  if (!definition || value === null) return null;
  return problemOf(definition, { source: 'server', value })?.message ?? null;
}

interface Given {
  source: Source;
  value: VariableValue | null;
}

/** Who gives the variable a value, the strongest first. */
function layersOf({ name, default: preset }: VariableDefinition, layers: readonly ShownLayer[]): Given[] {
  const given = layers.flatMap(({ source, values }): Given[] => {
    const value = values.get(name);
    return value === undefined ? [] : [{ source, value }];
  });
  return [
    ...(preset === undefined || preset === null ? [] : [{ source: 'plan' as const, value: preset }]),
    ...given,
  ].reverse();
}

function problemOf(definition: VariableDefinition, given: Given | undefined): { message: string; ill: boolean } | null {
  const layers =
    !given || given.source === 'plan' ? [] : [{ source: given.source, values: { [definition.name]: given.value } }];
  const { problems }: Resolution = resolveVariables({ definitions: [definition], layers });
  const [problem] = problems;
  return problem ? { message: problem.message, ill: given !== undefined } : null;
}

function exported(name: string, layers: readonly ShownLayer[]): PreviewedVariable {
  const given = layers
    .flatMap(({ source, values }): Given[] => {
      const value = values.get(name);
      return value === undefined ? [] : [{ source, value }];
    })
    .reverse();
  const [strongest, ...overrides] = given;
  const secret = given.some(({ value }) => value === null);
  return {
    name,
    definition: null,
    secret,
    value: secret ? null : (strongest?.value ?? null),
    source: strongest?.source ?? null,
    overrides: overrides.map(({ source, value }) => ({ source, value: secret ? null : value })),
    problem: null,
  };
}
