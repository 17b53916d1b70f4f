import type { VariableValue } from '../../common/variables/variable-value.js';
import type { CommandValue } from '../../plans/rendering/render-command.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';
import type { Snapshot } from './execution-row.js';
import type { FrozenHost } from './snapshot.js';

type Secrets = Readonly<Record<string, VariableValue>>;

export interface RunValue {
  name: string;
  value: VariableValue;
  secret: boolean;
}

/** Separator that no variable name contains. Keeps the keys of shared and host-specific secrets distinct. */
const SEPARATOR = '/';

/** Version of a plain server value that the plan or environment declares secret. It never counts as changed. */
export const NO_SECRET = 'plain';

export const hostSecretKey = (name: string, n: number): string => `${name}${SEPARATOR}${n}`;

export const scopeSecretKey = (name: string, scope: number): string => `${name}${SEPARATOR}call-${scope}`;

export const secretName = (key: string): string => key.split(SEPARATOR, 1)[0] ?? key;

export const isHostSecret = (key: string): boolean => key.includes(SEPARATOR);

export const getSharedValues = <T>(valuesByKey: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(valuesByKey).filter(([key]) => !isHostSecret(key)));

/** Returns the values that all hosts share: variables of the plan and exported variables. */
export const sharedValues = ({ variables }: Pick<Snapshot, 'variables'>, secrets: Secrets): RunValue[] => [
  ...Object.entries(variables).map(([name, value]) => ({ name, value, secret: false })),
  ...Object.entries(getSharedValues(secrets)).map(([name, value]) => ({ name, value, secret: true })),
];

/** Returns the values of a host. Values of its server override shared values. */
export function valuesOfHost(
  shared: readonly RunValue[],
  secrets: Secrets,
  host: Pick<FrozenHost, 'variables' | 'secrets'>,
): RunValue[] {
  const ownValues = ownValuesOf(secrets, host);
  const names = new Set(ownValues.map(({ name }) => name));
  return [...shared.filter(({ name }) => !names.has(name)), ...ownValues];
}

export const ownValuesOf = (
  secrets: Secrets,
  { variables, secrets: own }: Pick<FrozenHost, 'variables' | 'secrets'>,
): RunValue[] => [
  ...Object.entries(variables ?? {}).map(([name, value]) => ({ name, value, secret: false })),
  ...Object.entries(own ?? {}).flatMap(([name, { at }]) => {
    const value = at === null ? undefined : secrets[at];
    return value === undefined ? [] : [{ name, value, secret: true }];
  }),
];

/** Returns the values for templates: every variable of the plan, also those without a value. */
export function declaredValues(
  definitions: readonly Pick<VariableDefinition, 'name' | 'type'>[],
  values: readonly RunValue[],
): CommandValue[] {
  const found = new Map(values.map((each) => [each.name, each]));
  return definitions.map(({ name, type }) => {
    const ownValues = found.get(name);
    return { name, value: ownValues?.value ?? null, secret: type === 'secret' || (ownValues?.secret ?? false) };
  });
}

/** Returns equal texts for hosts with equal own values. Empty: the host has only shared values. */
export function ownValuesText({ variables, secrets }: Pick<FrozenHost, 'variables' | 'secrets'>): string {
  if (!variables && !secrets) return '';
  const places = Object.entries(secrets ?? {}).map(([name, { at }]) => [name, at]);
  return JSON.stringify([variables ?? {}, places]);
}
