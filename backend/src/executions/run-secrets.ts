import type { SealContext } from '../common/crypto/envelope.js';
import type { SealedColumn } from '../common/crypto/sealed-column.js';

/** What a run's sealed secret values are bound to. */
export const secretsContext = (tenantId: string, executionId: string): SealContext => ({
  tenant: tenantId,
  table: 'executions',
  record: executionId,
  field: 'secrets',
  version: 1,
});

/** Where runs keep their secret values. */
export const SEALED_RUN_SECRETS: SealedColumn = {
  table: 'executions',
  column: 'sealed_secrets',
  version: '1',
  context: secretsContext,
};
