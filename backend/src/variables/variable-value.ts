import {
  LinearPattern,
  createMatchBudget,
  type MatchBudget,
  MAX_MATCHED_LENGTH,
} from '../common/text/linear-pattern.ts';
import { findNearestName } from '../common/text/nearest-name.ts';

export const VARIABLE_TYPES = ['string', 'integer', 'number', 'boolean', 'choice', 'list', 'secret'] as const;
export type VariableType = (typeof VARIABLE_TYPES)[number];

export type VariableScalar = string | number | boolean;
export type VariableValue = VariableScalar | VariableScalar[];

export const MAX_LIST_ITEMS = 1000;
/**
 * Maximum length of a value in UTF-16 units. Linux limits an environment variable to 128 KiB, and UTF-8 needs up to
 * three bytes per unit.
 */
export const MAX_VALUE_LENGTH = 32_768;

export interface ValueRule {
  readonly name: string;
  readonly type: VariableType;
  readonly choices?: string[];
  /**
   * Regular expression that the whole value must match (JavaScript, flag `u`, no lookaround or backreferences). For a
   * list, each item must match. Only for `string`, `list` and `secret`.
   */
  readonly pattern?: string;
}

export interface ValueFault {
  code: 'wrong_type' | 'not_a_choice' | 'pattern_mismatch' | 'too_long';
  message: string;
  item?: number;
}

export function toValueText(value: VariableValue): string {
  return typeof value === 'object' ? value.map(String).join('\n') : String(value);
}

/**
 * Returns why a value does not satisfy its rule; null: it does. Nothing is converted: the text "5" is not an integer.
 * The message never contains the value, which may be a secret.
 *
 * @param budget remaining cost of patterns, shared by all values of one request
 */
export function findValueFault(
  rule: ValueRule,
  value: unknown,
  budget: MatchBudget = createMatchBudget(),
): ValueFault | null {
  const wrongType = findTypeFault(rule, value);
  if (wrongType) return { code: 'wrong_type', ...wrongType };
  const validValue = value as VariableValue;
  if (toValueText(validValue).length > MAX_VALUE_LENGTH) {
    const message = `"${rule.name}" has more than ${MAX_VALUE_LENGTH} characters. Put large content into a file or script.`;
    return { code: 'too_long', message };
  }
  if (rule.type === 'choice') return findChoiceFault(rule, validValue as string);
  return rule.pattern ? findPatternFault(rule, rule.pattern, validValue, budget) : null;
}

type TypeFault = Pick<ValueFault, 'message' | 'item'> & { code?: 'too_long' };

function findTypeFault({ name, type }: ValueRule, value: unknown): TypeFault | null {
  const fault = (expectedType: string) => ({
    message: `"${name}" must be ${expectedType}, not ${describeValue(value, type === 'secret')}.`,
  });
  switch (type) {
    case 'string':
    case 'choice':
    case 'secret':
      if (typeof value !== 'string') return fault('text in quotes such as "v1"');
      return isPlainText(value)
        ? null
        : { message: `"${name}" contains NUL or an incomplete character, which shells cannot process.` };
    case 'integer':
      return Number.isSafeInteger(value) ? null : fault('a whole number such as 8080, without quotes');
    case 'number':
      return Number.isFinite(value) ? null : fault('a number such as 0.5, without quotes');
    case 'boolean':
      return typeof value === 'boolean' ? null : fault('true or false, without quotes');
    case 'list':
      return Array.isArray(value) ? findListFault(name, value) : fault('a list such as ["a", "b"]');
  }
}

function findListFault(name: string, items: readonly unknown[]): TypeFault | null {
  if (items.length > MAX_LIST_ITEMS)
    return { code: 'too_long', message: `"${name}" has ${items.length} items; a list has at most ${MAX_LIST_ITEMS}.` };
  const item = items.findIndex(
    (value) =>
      !(typeof value === 'boolean' || Number.isFinite(value) || (typeof value === 'string' && isPlainText(value))),
  );
  if (item < 0) return null;
  return {
    item,
    message: `Item ${item + 1} of "${name}" must be text, a number, true or false, not ${describeValue(items[item], false)}.`,
  };
}

function findChoiceFault({ name, choices }: ValueRule, value: string): ValueFault | null {
  const known = choices ?? [];
  if (known.includes(value)) return null;
  const nearest = findNearestName(value, known);
  const hint = nearest === null ? '' : ` Did you mean "${nearest}"?`;
  return {
    code: 'not_a_choice',
    message: `"${name}" must be one of ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}.${hint}`,
  };
}

function findPatternFault(
  { name }: ValueRule,
  pattern: string,
  value: VariableValue,
  budget: MatchBudget,
): ValueFault | null {
  const compiled = new LinearPattern(pattern);
  const items = typeof value === 'object' ? value : [value];
  const tooLong = items.reduce<number>((sum, item) => sum + String(item).length, 0) > MAX_MATCHED_LENGTH;
  if (tooLong) {
    const message = `"${name}" is longer than the ${MAX_MATCHED_LENGTH} characters that a pattern can match.`;
    return { code: 'pattern_mismatch', message };
  }
  const index = items.findIndex((item) => !compiled.matches(String(item), budget));
  if (index < 0) return null;
  if (budget.steps < 0) {
    const message = `Matching the patterns takes too long, up to "${name}". Use simpler patterns or shorter values.`;
    return { code: 'pattern_mismatch', message };
  }
  const message = `"${name}" must match the pattern ${pattern} as a whole.`;
  return typeof value === 'object'
    ? { code: 'pattern_mismatch', message: `Item ${index + 1} of ${message}`, item: index }
    : { code: 'pattern_mismatch', message };
}

function isPlainText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

function describeValue(value: unknown, secret: boolean): string {
  if (value === null) return 'null (leave the variable out to use its default)';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') {
    return !secret && /^(-?\d+(\.\d+)?|true|false)$/.test(value) ? `the text "${value.slice(0, 40)}"` : 'text';
  }
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : 'an infinite number';
  return typeof value === 'boolean' ? 'true or false' : 'an object';
}
