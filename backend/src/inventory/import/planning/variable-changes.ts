import { createHash } from 'node:crypto';
import type { VariableValue } from '../../../common/variables/variable-value.js';
import { MOST_SERVER_VARIABLE_BYTES, MOST_SERVER_VARIABLES } from '../../variables/server-variable-limits.js';
import type { FieldChange } from '../orders/import-record.js';

/** Plain ones, by name. */
export type Variables = Readonly<Record<string, VariableValue>>;

/** What a server has; null: it is secret. */
export type StoredVariables = ReadonlyMap<string, VariableValue | null>;

/** Variables that a server gets, and what they were. */
export interface VariableChanges {
  before: Variables;
  after: Variables;
}

export const NO_CHANGES: VariableChanges = { before: {}, after: {} };

/** Those that are no secrets. */
export const plainOf = (stored: StoredVariables | undefined): Variables =>
  Object.fromEntries([...(stored ?? [])].flatMap(([name, value]) => (value === null ? [] : [[name, value]])));

/** What is kept secret stays what it is: no text makes it plain. */
export const withoutSecrets = (wanted: Variables, stored: StoredVariables | undefined): Variables =>
  Object.fromEntries(Object.entries(wanted).filter(([name]) => stored?.get(name) !== null));

/** Only what is given another value; nothing is taken away. */
export function changesOf(before: Variables, after: Variables): VariableChanges {
  const names = changedNames(before, after);
  const only = (all: Variables) =>
    Object.fromEntries(names.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name] as VariableValue]] : [])));
  return { before: only(before), after: only(after) };
}

/** The same for people. */
export const toldChanges = (before: Variables, after: Variables): FieldChange[] =>
  changedNames(before, after).map((name) => ({
    field: `variable ${name}`,
    before: wordsOf(before[name]),
    after: wordsOf(after[name]),
  }));

/** Why the server can't have so many or so large variables; null: it can. @param count how many it has now, secrets too */
export function roomFault(
  before: Variables,
  after: Variables,
  count: number,
): { code: string; message: string } | null {
  const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name)).length;
  if (added > 0 && count + added > MOST_SERVER_VARIABLES)
    return {
      code: 'too_many_variables',
      message: `It would have ${count + added} variables with those that it has; a server has at most ${MOST_SERVER_VARIABLES}.`,
    };
  const bytes = bytesOf(after);
  if (bytes <= MOST_SERVER_VARIABLE_BYTES || bytes <= bytesOf(before)) return null;
  return {
    code: 'variables_too_large',
    message: `Its variables would have ${bytes} bytes together; a server has at most ${MOST_SERVER_VARIABLE_BYTES}. Keep what is long in files on it.`,
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

/** How much of a value is told; what follows is told apart by its hash. */
const TOLD = 200;

/** Such texts stand in quotes, so that the text "5" is another one than the number. */
const LOOKS_TYPED = /^(-?\d|true$|false$|\[|")/;

function wordsOf(value: VariableValue | undefined): string | null {
  if (value === undefined) return null;
  const text = typeof value === 'string' && value !== '' && !LOOKS_TYPED.test(value) ? value : JSON.stringify(value);
  if (text.length <= TOLD) return text;
  return `${text.slice(0, TOLD)}… (SHA-256 ${createHash('sha256').update(text).digest('hex').slice(0, 12)})`;
}
