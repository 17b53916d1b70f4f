import { createHash } from 'node:crypto';
import type { VariableValue } from '../../../common/variables/variable-value.js';
import { MAX_SERVER_VARIABLE_BYTES, MAX_SERVER_VARIABLES } from '../../variables/server-variable-limits.js';
import type { FieldChange } from '../orders/import-record.js';

export type Variables = Readonly<Record<string, VariableValue>>;

/** Variables of a server; the value of a secret is null. */
export type StoredVariables = ReadonlyMap<string, VariableValue | null>;

export interface VariableChanges {
  before: Variables;
  after: Variables;
}

export const NO_CHANGES: VariableChanges = { before: {}, after: {} };

export const toPlainVariables = (stored: StoredVariables | undefined): Variables =>
  Object.fromEntries([...(stored ?? [])].flatMap(([name, value]) => (value === null ? [] : [[name, value]])));

/** Drops values for variables that are secret on the server: an import never makes a secret plain. */
export const withoutSecrets = (importedVariables: Variables, stored: StoredVariables | undefined): Variables =>
  Object.fromEntries(Object.entries(importedVariables).filter(([name]) => stored?.get(name) !== null));

/** Returns only variables with a new value. Never removes a variable. */
export function changesOf(before: Variables, after: Variables): VariableChanges {
  const names = changedNames(before, after);
  const only = (all: Variables) =>
    Object.fromEntries(names.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name] as VariableValue]] : [])));
  return { before: only(before), after: only(after) };
}

export const changesAsText = (before: Variables, after: Variables): FieldChange[] =>
  changedNames(before, after).map((name) => ({
    field: `variable ${name}`,
    before: wordsOf(before[name]),
    after: wordsOf(after[name]),
  }));

/**
 * Why the variables exceed the limits of a server; null = within the limits. @param count current number of variables,
 * including secrets
 */
export function limitFault(
  before: Variables,
  after: Variables,
  count: number,
): { code: string; message: string } | null {
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name)).length;
  if (added > 0 && count + added > MAX_SERVER_VARIABLES)
    return {
      code: 'too_many_variables',
      message: `The server would have ${count + added} variables, but at most ${MAX_SERVER_VARIABLES} are allowed.`,
    };
  const bytes = bytesOf(after);
  if (bytes <= MAX_SERVER_VARIABLE_BYTES || bytes <= bytesOf(before)) return null;
  return {
    code: 'variables_too_large',
    message: `The variables of the server would have ${bytes} bytes in total, but at most ${MAX_SERVER_VARIABLE_BYTES} are allowed. Store long values in files on the server.`,
  };
}

const changedNames = (before: Variables, after: Variables): string[] =>
  Object.keys(after)
    .filter((name) => !Object.hasOwn(before, name) || JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .sort();

const bytesOf = (variables: Variables): number =>
  Object.entries(variables).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(value)),
    0,
  );

/** Maximum length of a displayed value, in characters. Longer values are identified by a hash. */
const MAX_TEXT = 200;

/** Texts to display in quotes, so that the text "5" differs from the number 5. */
const TYPED_LOOK = /^(-?\d|true$|false$|\[|")/;

function wordsOf(value: VariableValue | undefined): string | null {
  if (value === undefined) return null;
  const text = typeof value === 'string' && value !== '' && !TYPED_LOOK.test(value) ? value : JSON.stringify(value);
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT)}… (SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 12)})`;
}
