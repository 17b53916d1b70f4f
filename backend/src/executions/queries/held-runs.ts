import type { EntityManager } from 'typeorm';

/** Makes all runs that wait for a freeze or run window due now. The engine then checks whether they may begin. */
export async function wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query(
    `update executions set not_before = now() where tenant_id = $1 and status = 'PENDING' and not_before > now()`,
    [tenantId],
  );
}
