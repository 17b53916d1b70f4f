import type { UseMutationResult } from '@tanstack/react-query';
import type { PutVariableRequest, Variable } from '../../types';

/** New value of a variable of an environment or a server. */
export interface VariableChange {
  key: string;
  body: PutVariableRequest;
  /** The variable that is replaced; null for a new one. */
  current: Variable | null;
}

export type PutVariable = UseMutationResult<Variable, Error, VariableChange>;
export type DeleteVariable = UseMutationResult<unknown, Error, Variable>;
