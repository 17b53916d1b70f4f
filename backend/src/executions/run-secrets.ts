import type { SealContext } from '../common/crypto/envelope.js';

/** What a run's sealed secret values are bound to. */
export const secretsContext = (tenantId: string, executionId: string): SealContext => ({
  tenant: tenantId,
  table: 'executions',
  record: executionId,
  field: 'secrets',
  version: 1,
});
