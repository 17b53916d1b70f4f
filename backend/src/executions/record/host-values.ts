import type { VariableValue } from '../../common/variables/variable-value.js';
import type { CommandValue } from '../../plans/rendering/render-command.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';
import type { Snapshot } from './execution-row.js';
import type { FrozenHost } from './snapshot.js';

type Secrets = Readonly<Record<string, VariableValue>>;

/** What a run has of a variable. */
export interface RunValue {
  name: string;
  value: VariableValue;
  secret: boolean;
}

/** No name of a variable holds it, so what all hosts share and what single hosts have stand side by side. */
const BETWEEN = '/';

/** The version of a value that is no secret on its server, and is one for the plan or the environment: it only freezes. */
export const NO_SECRET = 'plain';

/** Where the n-th of the values that a secret of this name has on hosts stands among the run's secrets. */
export const hostSecretKey = (name: string, n: number): string => `${name}${BETWEEN}${n}`;

/** Where a secret stands that only the steps of one call have. */
export const scopeSecretKey = (name: string, scope: number): string => `${name}${BETWEEN}call-${scope}`;

/** The name of the secret that stands under a key. */
export const secretName = (key: string): string => key.split(BETWEEN, 1)[0] ?? key;

/** Whether only single hosts or the steps of one call have it. */
export const isHostSecret = (key: string): boolean => key.includes(BETWEEN);

/** Those of what is kept by key that all hosts share. */
export const sharedOf = <T>(byKey: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(byKey).filter(([key]) => !isHostSecret(key)));

/** What every host gets that has none of its own: the plan's variables and what is exported beside them. */
export const sharedValues = ({ variables }: Pick<Snapshot, 'variables'>, secrets: Secrets): RunValue[] => [
  ...Object.entries(variables).map(([name, value]) => ({ name, value, secret: false })),
  ...Object.entries(sharedOf(secrets)).map(([name, value]) => ({ name, value, secret: true })),
];

/** What a host gets: its own values before those that all share. */
export function valuesOfHost(
  shared: readonly RunValue[],
  secrets: Secrets,
  host: Pick<FrozenHost, 'variables' | 'secrets'>,
): RunValue[] {
  const given = ownValuesOf(secrets, host);
  const names = new Set(given.map(({ name }) => name));
  return [...shared.filter(({ name }) => !names.has(name)), ...given];
}

/** What only its server gives a host. */
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

/** What templates may use: each variable of the plan, also without a value. */
export function declaredValues(
  definitions: readonly Pick<VariableDefinition, 'name' | 'type'>[],
  values: readonly RunValue[],
): CommandValue[] {
  const found = new Map(values.map((each) => [each.name, each]));
  return definitions.map(({ name, type }) => {
    const given = found.get(name);
    return { name, value: given?.value ?? null, secret: type === 'secret' || (given?.secret ?? false) };
  });
}

/** Hosts with the same text have the same values; empty: those that all share. */
export function ownValuesText({ variables, secrets }: Pick<FrozenHost, 'variables' | 'secrets'>): string {
  if (!variables && !secrets) return '';
  const places = Object.entries(secrets ?? {}).map(([name, { at }]) => [name, at]);
  return JSON.stringify([variables ?? {}, places]);
}
