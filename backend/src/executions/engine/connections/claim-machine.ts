import type { EntityManager } from 'typeorm';
import type { RunRef } from '../../record/run-head.js';

/**
 * Notes where a run has reached a host, unless another host of the run is that machine with that login: the same address
 * and port, and the same host key.
 * @param address canonical
 * @returns the name of the other host; null: it is noted
 * @throws the violation of `execution_hosts_machine` when two hosts come to it at the same moment
 */
export async function claimMachine(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  { serverId }: { serverId: string },
  address: string,
): Promise<string | null> {
  const [other] = await tx.query<{ name: string }[]>(
    `select o.name from execution_hosts h
      join execution_hosts o on o.tenant_id = $1 and o.execution_id = $2 and o.reached_address = $4 and o.port = h.port
        and o.username = h.username and o.host_key->>'fingerprint' is not distinct from h.host_key->>'fingerprint' and o.server_id <> $3
      where h.execution_id = $2 and h.server_id = $3 limit 1`,
    [tenantId, executionId, serverId, address],
  );
  if (other) return other.name;
  await tx.query(
    `update execution_hosts set reached_address = $3
      where execution_id = $1 and server_id = $2 and reached_address is distinct from $3`,
    [executionId, serverId, address],
  );
  return null;
}
