import { usage } from '../terminal/failure.ts';

/**
 * Splits `NAME=value` at the first `=`.
 * @param option flag of the option, such as `--var`
 */
export function parsePair(text: string, option: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw usage(`${option} must be NAME=value${at < 0 ? '' : ', with a name before the ='}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Returns the values of a repeatable option.
 * @throws Failure for a duplicate name
 */
export function parsePairs(texts: readonly string[], option: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const text of texts) {
    const [name, value] = parsePair(text, option);
    if (name in found) throw usage(`${option} ${name} occurs twice.`);
    found[name] = value;
  }
  return { ...found };
}

export const formatPairs = (pairs: Readonly<Record<string, unknown>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ');

export const collectValues = (value: string, before: readonly string[] = []): string[] => [...before, value];
