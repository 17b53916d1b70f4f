import type { EntityManager } from 'typeorm';

/** Runs that a freeze or run windows hold back are taken up again: whether they still do is looked at then. */
export async function wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query(
    `update executions set not_before = now() where tenant_id = $1 and status = 'PENDING' and not_before > now()`,
    [tenantId],
  );
}
