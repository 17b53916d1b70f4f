import type { ProblemItem } from '../../common/errors/problem-item.js';
import { findSecretFault } from '../../variables/secret-rules.js';
import { findNameFault } from '../../variables/variable-name.js';
import {
  VARIABLE_TYPES,
  type VariableType,
  type VariableValue,
  findValueFault,
} from '../../variables/variable-value.js';

/** Without `choice`, whose list of options only a plan can declare. */
export type EnvironmentVariableType = Exclude<VariableType, 'choice'>;
export const ENVIRONMENT_VARIABLE_TYPES: readonly EnvironmentVariableType[] = VARIABLE_TYPES.filter(
  (type) => type !== 'choice',
);

/** Limited because all variables are exported to every command in the environment. */
export const MAX_VARIABLES = 200;

export interface RequestedVariable {
  value: VariableValue;
  secret?: boolean;
  type?: EnvironmentVariableType;
}

/** `type: secret` and `secret: true` with a text are equivalent. */
export function toTypeAndSecrecy({ value, secret, type }: RequestedVariable): {
  type: EnvironmentVariableType;
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

function inferType(value: VariableValue): EnvironmentVariableType {
  if (typeof value === 'object') return 'list';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  return 'string';
}
