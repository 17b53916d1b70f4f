import { valueText, type VariableScalar, type VariableValue } from '../../common/variables/variable-value.ts';

/** One word of a POSIX shell that means exactly this text. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** One word; for a list one word an item, joined by a space, so that an empty list is no word at all. */
export function shellWords(value: VariableValue): string {
  return typeof value === 'object'
    ? value.map((item: VariableScalar) => shellWord(String(item))).join(' ')
    : shellWord(valueText(value));
}
