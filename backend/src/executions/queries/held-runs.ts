import type { CollectionUse } from '../../collections/collection-use.js';

/** Runs that a freeze holds back are taken up again: whether one still does is looked at then. */
export const wakeHeldRuns: CollectionUse['wakeHeldRuns'] = async (tx, tenantId) => {
  await tx.query(
    `update executions set not_before = now() where tenant_id = $1 and status = 'PENDING' and not_before > now()`,
    [tenantId],
  );
};
