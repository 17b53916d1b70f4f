import { valueText, type VariableScalar, type VariableValue } from '../../common/variables/variable-value.ts';

export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** One word; a list becomes one word per item, separated by spaces, so an empty list is no word. */
export function shellWords(value: VariableValue): string {
  return typeof value === 'object'
    ? value.map((item: VariableScalar) => shellWord(String(item))).join(' ')
    : shellWord(valueText(value));
}
