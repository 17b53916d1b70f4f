import { openSealedValue, sealValue } from '../common/crypto/envelope.js';
import type { MasterKey } from '../common/crypto/master-key.js';
import type { SealedColumn } from '../common/database/sealed-values.js';
import type { VariableValue } from './variable-value.js';

interface SealedVariable {
  tenantId: string;
  id: string;
  version: number;
}

/**
 * Returns the column of the sealed values in a table of variables. The seal binds a value to its variable and version:
 * it cannot be opened in another variable or in an earlier version.
 */
export const createSealedVariableColumn = (table: string): SealedColumn => ({
  table,
  column: 'sealed_value',
  version: 'version',
  context: (tenantId, id, version) => ({ tenant: tenantId, table, record: id, field: 'value', version }),
});

export function sealVariable(
  masterKey: MasterKey,
  { context }: SealedColumn,
  { tenantId, id, version }: SealedVariable,
  value: VariableValue,
): Buffer {
  return sealValue(masterKey, Buffer.from(JSON.stringify(value)), context(tenantId, id, version));
}

export function openVariable(
  masterKey: MasterKey,
  { context }: SealedColumn,
  { tenantId, id, version }: SealedVariable,
  sealed: Buffer,
): VariableValue {
  return JSON.parse(openSealedValue(masterKey, sealed, context(tenantId, id, version)).toString()) as VariableValue;
}
