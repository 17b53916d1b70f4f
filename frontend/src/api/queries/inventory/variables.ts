import type { UseMutationResult } from '@tanstack/react-query';
import type { PutVariableRequest, Variable } from '../../types';

export interface VariableChange {
  key: string;
  body: PutVariableRequest;
  /** Variable to replace; null for a new one. */
  current: Variable | null;
}

export type PutVariable = UseMutationResult<Variable, Error, VariableChange>;
export type DeleteVariable = UseMutationResult<unknown, Error, Variable>;
