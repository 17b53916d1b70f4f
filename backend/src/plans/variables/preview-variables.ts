import type { VariableValue } from '../../variables/variable-value.js';
import type { Reason } from '../../common/http/reason.view.js';
import { type VariableResolution, resolveVariables, type VariableSource } from './resolve-variables.js';
import type { VariableDefinition } from './variable-definition.js';

type PreviewSource = Exclude<VariableSource, 'start'>;

/** Values of one source for display; null = a secret, whose value is not read. */
export interface PreviewLayer {
  readonly source: PreviewSource;
  readonly values: ReadonlyMap<string, VariableValue | null>;
}

export interface PreviewedVariable {
  name: string;
  definition: VariableDefinition | null;
  secret: boolean;
  value: VariableValue | null;
  source: PreviewSource | null;
  overrides: { source: PreviewSource; value: VariableValue | null }[];
  /** Why a start would be refused; null = it would not. */
  reason: Reason | null;
}

/**
 * Returns the values that a start uses if its request has none: the plan's variables in their order, then exported
 * variables by name. Secrets are not read, so pattern errors cannot reveal them.
 * @param layers weakest first, without the plan's defaults
 */
export function previewVariables(
  definitions: readonly VariableDefinition[],
  layers: readonly PreviewLayer[],
): PreviewedVariable[] {
  const declared = definitions.map((definition) => {
    const layerValues = listLayerValues(definition, layers);
    const secret =
      definition.type === 'secret' || layerValues.some(({ source, value }) => source !== 'plan' && value === null);
    const [strongestValue, ...overrides] = layerValues;
    // If the strongest value is secret, the plain ones below it are not validated, because their faults would reveal
    // it.
    const looked = strongestValue?.value === null ? null : findValueProblem(definition, strongestValue);
    return {
      name: definition.name,
      definition,
      secret,
      value: secret || looked?.ill ? null : (strongestValue?.value ?? null),
      source: looked?.ill ? null : (strongestValue?.source ?? null),
      overrides: overrides.map(({ source, value }) => ({ source, value: secret ? null : value })),
      reason: looked?.reason ?? null,
    };
  });
  const names = new Set(definitions.map(({ name }) => name));
  const beside = [...new Set(layers.flatMap(({ values }) => [...values.keys()]))].filter((name) => !names.has(name));
  return [...declared, ...beside.sort().map((name) => toPreviewedVariable(name, layers))];
}

/** Returns why the server's value would prevent a start on that server; null = valid, or secret. */
export function findServerValueProblem(
  definition: VariableDefinition | null,
  value: VariableValue | null,
): Reason | null {
  if (!definition || value === null) return null;
  return findValueProblem(definition, { source: 'server', value })?.reason ?? null;
}

interface LayerValue {
  source: PreviewSource;
  value: VariableValue | null;
}

function listLayerValues({ name, default: preset }: VariableDefinition, layers: readonly PreviewLayer[]): LayerValue[] {
  const layerValues = layers.flatMap(({ source, values }): LayerValue[] => {
    const value = values.get(name);
    return value === undefined ? [] : [{ source, value }];
  });
  return [
    ...(preset === undefined || preset === null ? [] : [{ source: 'plan' as const, value: preset }]),
    ...layerValues,
  ].reverse();
}

function findValueProblem(
  definition: VariableDefinition,
  layerValues: LayerValue | undefined,
): { reason: Reason; ill: boolean } | null {
  const layers =
    !layerValues || layerValues.source === 'plan'
      ? []
      : [{ source: layerValues.source, values: { [definition.name]: layerValues.value } }];
  const { problems }: VariableResolution = resolveVariables({ definitions: [definition], layers });
  const [problem] = problems;
  return problem ? { reason: { code: problem.code, text: problem.message }, ill: layerValues !== undefined } : null;
}

function toPreviewedVariable(name: string, layers: readonly PreviewLayer[]): PreviewedVariable {
  const layerValues = layers
    .flatMap(({ source, values }): LayerValue[] => {
      const value = values.get(name);
      return value === undefined ? [] : [{ source, value }];
    })
    .reverse();
  const [strongestValue, ...overrides] = layerValues;
  const secret = layerValues.some(({ value }) => value === null);
  return {
    name,
    definition: null,
    secret,
    value: secret ? null : (strongestValue?.value ?? null),
    source: strongestValue?.source ?? null,
    overrides: overrides.map(({ source, value }) => ({ source, value: secret ? null : value })),
    reason: null,
  };
}
