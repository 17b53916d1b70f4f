import { invalidRequest } from '../common/errors/problem.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import { findSecretFault } from './secret-rules.js';
import { findNameFault } from './variable-name.js';
import { VARIABLE_TYPES, type VariableType, type VariableValue, findValueFault } from './variable-value.js';

/** Without `choice`, whose list of options only a plan can declare. */
export type StoredVariableType = Exclude<VariableType, 'choice'>;
export const STORED_VARIABLE_TYPES: readonly StoredVariableType[] = VARIABLE_TYPES.filter((type) => type !== 'choice');

export interface RequestedVariable {
  value: VariableValue;
  secret?: boolean;
  type?: StoredVariableType;
}

/** `type: secret` and `secret: true` with a text are equivalent. */
export function toTypeAndSecrecy({ value, secret, type }: RequestedVariable): {
  type: StoredVariableType;
  secret: boolean;
} {
  const own = type ?? (secret && typeof value === 'string' ? 'secret' : inferType(value));
  return { type: own, secret: secret ?? own === 'secret' };
}

/** Returns the problems of a variable. The messages never repeat a secret value. */
export function findVariableFaults(key: string, requested: RequestedVariable): ProblemItem[] {
  const name = findNameFault(key);
  if (name) return [{ path: '', code: 'invalid_name', message: name }];
  const { type, secret } = toTypeAndSecrecy(requested);
  if (type === 'secret' && !secret) {
    const message =
      'A variable of type secret cannot have "secret": false. Leave "secret" out, or choose another type.';
    return [{ path: '/secret', code: 'not_allowed_value', message }];
  }
  const fault = findValueFault({ name: key, type }, requested.value);
  if (!fault) {
    const secretProblem = secret ? findSecretFault(key, requested.value) : null;
    return secretProblem ? [{ path: '/value', ...secretProblem }] : [];
  }
  const message = secret ? `The value of "${key}" does not fit its type ${type}.` : fault.message;
  return [{ path: fault.item === undefined ? '/value' : `/value/${fault.item}`, code: fault.code, message }];
}

/** @throws Problem 400 */
export function requireValidVariable(key: string, requested: RequestedVariable): void {
  const faults = findVariableFaults(key, requested);
  if (faults.length > 0) throw invalidRequest(faults);
}

function inferType(value: VariableValue): StoredVariableType {
  if (typeof value === 'object') return 'list';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  return 'string';
}
