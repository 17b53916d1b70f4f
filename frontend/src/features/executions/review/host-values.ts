import type { Difference, Review, ReviewHost } from '../../../api/types';

export interface HostValue {
  name: string;
  /** Null: the value is secret or was deleted. */
  value: string | null;
  kind: 'plain' | 'secret' | 'gone';
  /** Change since the last successful run; null: the value is unchanged, or no run has succeeded. */
  change: 'new' | 'changed' | null;
}

const SECRET_PREFIX = 'variable ';

function valueLines(text: string | null): Map<string, string> {
  const lines = (text ?? '').split('\n').filter((line) => line.startsWith(SECRET_PREFIX));
  return new Map(lines.map((line) => [line.slice(SECRET_PREFIX.length).split(':', 1)[0] ?? '', line]));
}

const textOf = (value: Review['variables'][string]): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/** Returns a host's values from its server, changed values first. @param differences since the last successful run */
export function hostValues(
  { name: host, variables, secretNames }: ReviewHost,
  differences: readonly Difference[],
): HostValue[] {
  const difference = differences.find(
    ({ kind, name, change }) => kind === 'host' && name === host && change === 'changed',
  );
  const [before, after] = [valueLines(difference?.before ?? null), valueLines(difference?.after ?? null)];
  const compareValue = (name: string): HostValue['change'] => {
    if (before.get(name) === after.get(name)) return null;
    return before.has(name) ? 'changed' : 'new';
  };
  const values: HostValue[] = [
    ...Object.entries(variables).map(
      ([name, value]): HostValue => ({ name, value: textOf(value), kind: 'plain', change: compareValue(name) }),
    ),
    ...secretNames.map((name): HostValue => ({ name, value: null, kind: 'secret', change: null })),
    ...[...before.keys()]
      .filter((name) => !after.has(name) && !secretNames.includes(name))
      .map((name): HostValue => ({ name, value: null, kind: 'gone', change: 'changed' })),
  ];
  const rank = ({ change }: HostValue) => (change === null ? 1 : 0);
  return values.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}
