import { createHash } from 'node:crypto';
import type { VariableValue } from '../../../variables/variable-value.js';
import { MAX_SERVER_VARIABLE_BYTES, MAX_SERVER_VARIABLES } from '../../variables/server-variable-limits.js';
import type { FieldChange } from '../orders/import-record.js';
import { ReasonCode } from '../../../common/errors/reason-codes.js';

export type PlainVariables = Readonly<Record<string, VariableValue>>;

/** Variables of a server; the value of a secret is null. */
export type StoredVariables = ReadonlyMap<string, VariableValue | null>;

export interface VariableChanges {
  before: PlainVariables;
  after: PlainVariables;
}

export const NO_VARIABLE_CHANGES: VariableChanges = { before: {}, after: {} };

export const toPlainVariables = (stored: StoredVariables | undefined): PlainVariables =>
  Object.fromEntries([...(stored ?? [])].flatMap(([name, value]) => (value === null ? [] : [[name, value]])));

/** Drops values for variables that are secret on the server: an import never makes a secret plain. */
export const excludeSecrets = (
  importedVariables: PlainVariables,
  stored: StoredVariables | undefined,
): PlainVariables =>
  Object.fromEntries(Object.entries(importedVariables).filter(([name]) => stored?.get(name) !== null));

/** Returns only variables with a new value. Never removes a variable. */
export function getVariableChanges(before: PlainVariables, after: PlainVariables): VariableChanges {
  const names = findChangedNames(before, after);
  const only = (all: PlainVariables) =>
    Object.fromEntries(names.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name] as VariableValue]] : [])));
  return { before: only(before), after: only(after) };
}

export const formatVariableChanges = (before: PlainVariables, after: PlainVariables): FieldChange[] =>
  findChangedNames(before, after).map((name) => ({
    field: `variable ${name}`,
    before: formatValue(before[name]),
    after: formatValue(after[name]),
  }));

/**
 * Why the variables exceed the limits of a server; null = within the limits. @param count current number of variables,
 * including secrets
 */
export function findLimitFault(
  before: PlainVariables,
  after: PlainVariables,
  count: number,
): { code: ReasonCode; message: string } | null {
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name)).length;
  if (added > 0 && count + added > MAX_SERVER_VARIABLES)
    return {
      code: 'too_many_variables',
      message: `The server would have ${count + added} variables, but at most ${MAX_SERVER_VARIABLES} are allowed.`,
    };
  const bytes = countBytes(after);
  if (bytes <= MAX_SERVER_VARIABLE_BYTES || bytes <= countBytes(before)) return null;
  return {
    code: 'variables_too_large',
    message: `The variables of the server would have ${bytes} bytes in total, but at most ${MAX_SERVER_VARIABLE_BYTES} are allowed. Store long values in files on the server.`,
  };
}

const findChangedNames = (before: PlainVariables, after: PlainVariables): string[] =>
  Object.keys(after)
    .filter((name) => !Object.hasOwn(before, name) || JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .sort();

const countBytes = (variables: PlainVariables): number =>
  Object.entries(variables).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(value)),
    0,
  );

/** Maximum length of a displayed value, in characters. Longer values are identified by a hash. */
const MAX_TEXT_LENGTH = 200;

/** Texts to display in quotes, so that the text "5" differs from the number 5. */
const LOOKS_TYPED_PATTERN = /^(-?\d|true$|false$|\[|")/;

function formatValue(value: VariableValue | undefined): string | null {
  if (value === undefined) return null;
  const text =
    typeof value === 'string' && value !== '' && !LOOKS_TYPED_PATTERN.test(value) ? value : JSON.stringify(value);
  if (text.length <= MAX_TEXT_LENGTH) return text;
  return `${text.slice(0, MAX_TEXT_LENGTH)}… (SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 12)})`;
}
