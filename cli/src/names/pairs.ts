import { usage } from '../failure.ts';

/** `NAME=value`, the first `=` parts them. @param option as it was typed, such as `--var` */
export function pair(text: string, option: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw usage(`${option} takes NAME=value${at < 0 ? '' : ', with a name before the ='}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Of an option that may be given several times. @throws Failure when a name comes twice */
export function pairs(texts: readonly string[], option: string): Record<string, string> {
  const found: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const text of texts) {
    const [name, value] = pair(text, option);
    if (name in found) throw usage(`${option} ${name} is given twice.`);
    found[name] = value;
  }
  return { ...found };
}

/** Collects an option that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];
