import type { VariableValue } from '../../variables/variable-value.js';
import type { CommandValue } from '../../plans/rendering/render-command.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';
import type { Snapshot } from './execution-row.js';
import type { FrozenHost } from './snapshot.js';

type SecretValues = Readonly<Record<string, VariableValue>>;

export interface RunValue {
  name: string;
  value: VariableValue;
  secret: boolean;
}

/** Separator that no variable name contains. Keeps the keys of shared and host-specific secrets distinct. */
const SECRET_KEY_SEPARATOR = '/';

/** Version of a plain server value that the plan or environment declares secret. It never counts as changed. */
export const PLAIN_VALUE_MARK = 'plain';

export const toHostSecretKey = (name: string, n: number): string => `${name}${SECRET_KEY_SEPARATOR}${n}`;

export const toScopeSecretKey = (name: string, scope: number): string => `${name}${SECRET_KEY_SEPARATOR}call-${scope}`;

export const toSecretName = (key: string): string => key.split(SECRET_KEY_SEPARATOR, 1)[0] ?? key;

export const isHostSecretKey = (key: string): boolean => key.includes(SECRET_KEY_SEPARATOR);

export const getSharedValues = <T>(valuesByKey: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(valuesByKey).filter(([key]) => !isHostSecretKey(key)));

/** Returns the values that all hosts share: variables of the plan and exported variables. */
export const listSharedValues = ({ variables }: Pick<Snapshot, 'variables'>, secrets: SecretValues): RunValue[] => [
  ...Object.entries(variables).map(([name, value]) => ({ name, value, secret: false })),
  ...Object.entries(getSharedValues(secrets)).map(([name, value]) => ({ name, value, secret: true })),
];

/** Returns the values of a host. Values of its server override shared values. */
export function listHostValues(
  shared: readonly RunValue[],
  secrets: SecretValues,
  host: Pick<FrozenHost, 'variables' | 'secrets'>,
): RunValue[] {
  const ownValues = listOwnValues(secrets, host);
  const names = new Set(ownValues.map(({ name }) => name));
  return [...shared.filter(({ name }) => !names.has(name)), ...ownValues];
}

export const listOwnValues = (
  secrets: SecretValues,
  { variables, secrets: own }: Pick<FrozenHost, 'variables' | 'secrets'>,
): RunValue[] => [
  ...Object.entries(variables ?? {}).map(([name, value]) => ({ name, value, secret: false })),
  ...Object.entries(own ?? {}).flatMap(([name, { at }]) => {
    const value = at === null ? undefined : secrets[at];
    return value === undefined ? [] : [{ name, value, secret: true }];
  }),
];

/** Returns the values for templates: every variable of the plan, also those without a value. */
export function selectDeclaredValues(
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
export function describeOwnValues({ variables, secrets }: Pick<FrozenHost, 'variables' | 'secrets'>): string {
  if (!variables && !secrets) return '';
  const places = Object.entries(secrets ?? {}).map(([name, { at }]) => [name, at]);
  return JSON.stringify([variables ?? {}, places]);
}

export class HostSecretPool {
  private readonly places = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  readonly values: Record<string, VariableValue> = {};

  addSecret(name: string, value: VariableValue): string {
    const text = `${name} ${JSON.stringify(value)}`;
    const known = this.places.get(text);
    if (known !== undefined) return known;
    const n = this.counts.get(name) ?? 0;
    this.counts.set(name, n + 1);
    const key = toHostSecretKey(name, n);
    this.places.set(text, key);
    this.values[key] = value;
    return key;
  }
}
