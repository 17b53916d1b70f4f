import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { rows, sql } from '../../../common/database/sql.js';
import type { VariableValue } from '../../../variables/variable-value.js';
import type { EnvironmentReader } from '../../../environments/environment.reader.js';
import { loadEnvironmentAllowances, type EnvironmentAllowance } from '../../environment-allowances.js';
import { toMachineKey } from '../../machines/run-hosts.js';
import type { HostApproval, ServerGuards } from '../../host-approval.js';
import { Server } from '../../fields/server.entity.js';
import type { ServerVariableVault } from '../../variables/server-variable-vault.js';
import { lockJumpPaths } from '../../jump-paths.js';
import type { JumpServerCandidate } from './jump-hosts.js';
import { hasJumpPath } from './plan-jumps.js';
import type { ImportEntry, ImportOrder } from '../orders/import-record.js';

const SERVERS_PER_BATCH = 500;

export interface RegisteredMachine extends JumpServerCandidate {
  key: string;
}

export interface KnownServers {
  byExternalId: Map<string, Server>;
  byName: Map<string, Server>;
  machines: RegisteredMachine[];
  /** Servers of the source in the environment; empty if the import does not prune. */
  ofSource: Server[];
  allowances: Map<string, EnvironmentAllowance>;
  /** Environments that must approve a change of the server, by server id. */
  guards: ReadonlyMap<string, ServerGuards>;
  /** Jump server id for each server of the tenant; empty if the text has no jump paths. */
  jumpServers: ReadonlyMap<string, string | null>;
  /** Variables of servers that entries may match, by server id; value null: secret. */
  variables: ReadonlyMap<string, ReadonlyMap<string, VariableValue | null>>;
}

export const getExternalId = ({ wanted }: ImportEntry): string => wanted.externalId ?? wanted.name;

/**
 * Loads the records that the entries may affect.
 * @param lock true locks records that may change until the transaction ends
 */
export async function loadKnownServers(
  tx: EntityManager,
  {
    environments,
    vault,
    approval,
  }: { environments: EnvironmentReader; vault: ServerVariableVault; approval: HostApproval },
  order: ImportOrder & { tenantId: string },
  caller: Principal,
  entries: readonly ImportEntry[],
  lock: boolean,
): Promise<KnownServers> {
  const { tenantId, environmentId, source } = order;
  const byExternalId = new Map<string, Server>();
  const byName = new Map<string, Server>();
  const note = (server: Server) => {
    if (source !== null && server.externalSource === source) byExternalId.set(server.externalId ?? '', server);
    byName.set(server.name.toLowerCase(), server);
  };
  for (let from = 0; from < entries.length; from += SERVERS_PER_BATCH) {
    const some = entries.slice(from, from + SERVERS_PER_BATCH);
    const select = tx
      .getRepository(Server)
      .createQueryBuilder('server')
      .where('server.tenantId = :tenantId', { tenantId })
      .andWhere(
        '(lower(server.name) = any(:names) or (server.externalSource = :source and server.externalId = any(:ids)))',
        { names: some.map(({ wanted }) => wanted.name.toLowerCase()), source, ids: some.map(getExternalId) },
      )
      // All units lock in the same order, to avoid deadlocks.
      .orderBy('server.id');
    for (const server of await (lock ? select.setLock('for_no_key_update') : select).getMany()) note(server);
  }
  const hasJumpPaths = entries.some(hasJumpPath);
  if (hasJumpPaths && lock) await lockJumpPaths(tx, tenantId);
  const jumpPaths = hasJumpPaths ? await loadJumpServerIds(tx, tenantId) : new Map<string, string | null>();
  const machines = await rows(
    tx,
    sql<JumpServerCandidate>`select id, name, hostname, port, username,
        case when external_source = ${source} then external_id end as "externalId"
      from servers where tenant_id = ${tenantId} and environment_id = ${environmentId}`,
  );
  const ofSource =
    order.prune === 'no' || source === null
      ? []
      : await tx.getRepository(Server).find({ where: { tenantId, environmentId, externalSource: source } });
  const met = new Set([...byExternalId.values(), ...byName.values(), ...ofSource].map(({ id }) => id));
  const hasVariables = entries.some(({ wanted }) => wanted.variables !== undefined);
  return {
    byExternalId,
    byName,
    variables: hasVariables ? await vault.readForPreview(tx, tenantId, [...met]) : new Map(),
    machines: machines.map((machine) => ({ ...machine, key: toMachineKey(machine) })),
    jumpServers: jumpPaths,
    ofSource,
    guards: await approval.loadGuards(tx, caller, [...met]),
    allowances: await loadEnvironmentAllowances(tx, environments, caller, [
      environmentId,
      ...[...byExternalId.values(), ...byName.values()].map((server) => server.environmentId),
    ]),
  };
}

async function loadJumpServerIds(tx: EntityManager, tenantId: string): Promise<Map<string, string | null>> {
  const ways = await rows(
    tx,
    sql<{ id: string; through: string | null }>`select id, jump_server_id as through from servers
      where tenant_id = ${tenantId} and jump_server_id is not null`,
  );
  return new Map(ways.map(({ id, through }) => [id, through]));
}
