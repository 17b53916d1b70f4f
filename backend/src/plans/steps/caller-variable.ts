import type { VariableValue } from '../../common/variables/variable-value.js';

const REFERENCE = /^\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}$/;

/** Variable of the caller that a value of a call refers to; null = a literal value. */
export const callerVariable = (value: VariableValue): string | null =>
  typeof value === 'string' ? (REFERENCE.exec(value)?.[1] ?? null) : null;
