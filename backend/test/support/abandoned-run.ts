import type { HostStatus } from '../../src/executions/lifecycle/statuses.js';
import { DispatchIds } from '../../src/executions/engine/connections/journal-entries.js';
import type { RunLab } from './run-lab.js';

/** Stored status of a host in the step of the dead worker. A trailing `*` means that a command was dispatched. */
export type StoredHostStatus = HostStatus | `${HostStatus}*`;

/**
 * Starts a run and leaves it as a worker would that died in the first step: owned, with an expired lease and these host
 * statuses. Nothing was sent to the hosts. No worker may run at the same time.
 */
export async function abandonedRun(
  lab: RunLab,
  planId: string,
  hosts: Record<string, StoredHostStatus>,
): Promise<string> {
  const { id } = await lab.start(planId);
  const { database, runtime } = lab.runward;
  const ids = new DispatchIds(runtime.masterKey.secret, id);
  await database.query(
    `update executions set status = 'RUNNING', started_at = now(), owner = 'ghost', epoch = 1, lease_until = now() - interval '1 second' where id = $1`,
    [id],
  );
  await database.query(
    `update execution_steps set status = 'RUNNING', started_at = now() where execution_id = $1 and step_index = 0`,
    [id],
  );
  for (const [serverId, status] of Object.entries(hosts)) {
    const dispatched = status.endsWith('*');
    const dispatchId = ids.createFirstId(0, serverId, 1);
    if (dispatched) {
      await database.query(
        `insert into dispatches (dispatch_id, tenant_id, execution_id, step_index, server_id, attempt, epoch)
          values ($4, $2, $1, 0, $3, 1, 1)`,
        [id, lab.admin.tenantId, serverId, dispatchId],
      );
    }
    await database.query(
      `insert into host_results (tenant_id, execution_id, step_index, server_id, status, attempts, dispatch_id, epoch)
        values ($1, $2, 0, $3, $4, $5, $6, $7)`,
      [
        lab.admin.tenantId,
        id,
        serverId,
        status.replace('*', ''),
        dispatched ? 1 : 0,
        dispatched ? dispatchId : null,
        dispatched ? 1 : null,
      ],
    );
  }
  await database.query(
    `update execution_steps set counts = (select jsonb_object_agg(status, n) from
        (select status, count(*) as n from host_results where execution_id = $1 group by status) c)
      where execution_id = $1 and step_index = 0`,
    [id],
  );
  return id;
}
