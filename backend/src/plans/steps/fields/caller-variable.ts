import type { VariableValue } from '../../../variables/variable-value.js';

const VARIABLE_REFERENCE = /^\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}$/;

/** Returns the caller's variable to which a value of a call refers; null = the value is literal. */
export const getCallerVariable = (value: VariableValue): string | null =>
  typeof value === 'string' ? (VARIABLE_REFERENCE.exec(value)?.[1] ?? null) : null;
