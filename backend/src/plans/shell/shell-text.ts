import { toValueText, type VariableScalar, type VariableValue } from '../../variables/variable-value.ts';

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Quotes a value as one word, or a list as one word per item, separated by spaces. An empty list becomes no word. */
export function shellWords(value: VariableValue): string {
  return typeof value === 'object'
    ? value.map((item: VariableScalar) => shellWord(String(item))).join(' ')
    : shellWord(toValueText(value));
}
