import type { UseMutationResult } from '@tanstack/react-query';
import type { PutVariableRequest, Variable } from '../../types';

/** A variable of an environment or a server that is to be set. */
export interface VariableChange {
  key: string;
  body: PutVariableRequest;
  /** The variable that is replaced; null for a new one. */
  current: Variable | null;
}

export type PutVariable = UseMutationResult<Variable, Error, VariableChange>;
export type DeleteVariable = UseMutationResult<unknown, Error, Variable>;
