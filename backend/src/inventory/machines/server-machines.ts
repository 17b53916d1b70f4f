import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import { newId } from '../../common/ids.js';
import { filterHostKeys, type PinnedKey } from '../../transport/keys/pinned-key.js';
import { HostClaims } from './host-claims.js';
import { ProtectedHosts, formatProtectedHost } from './protected-hosts.js';
import {
  findDuplicateAddress,
  duplicateAddressProblem,
  isDuplicateMachineError,
  type MachineLogin,
} from './run-hosts.js';

export type ServerMachine = MachineLogin & { id: string; environmentId: string };

export const toServerMachine = <T extends Omit<ServerMachine, 'id' | 'port'> & { port?: number; name: string }>({
  name,
  environmentId,
  hostname,
  port,
  username,
}: T): ServerMachine & { name: string } => ({ id: newId(), name, environmentId, hostname, port: port ?? 22, username });

export function getChangedMachine(server: ServerMachine, change: Partial<ServerMachine>): ServerMachine {
  const { id } = server;
  return {
    id,
    environmentId: change.environmentId ?? server.environmentId,
    hostname: change.hostname ?? server.hostname,
    port: change.port ?? server.port,
    username: change.username ?? server.username,
  };
}

/** Refuses a server that duplicates another one, or that is a host of another, protected environment. */
@Injectable()
export class ServerMachines {
  constructor(
    private readonly units: UnitOfWork,
    private readonly protectedHosts: ProtectedHosts,
    private readonly claims: HostClaims,
  ) {}

  /**
   * Runs a unit of work that stores a server. If the database refuses a duplicate, the error names the other server.
   * @param machine identity to be stored; null: not known yet
   */
  async storeMachine<T>(
    tenantId: string,
    machine: () => ServerMachine | null,
    work: (tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.units.run(tenantId, work);
    } catch (error) {
      const identity = machine();
      if (!isDuplicateMachineError(error) || !identity) throw error;
      throw duplicateAddressProblem(
        await this.units.run(tenantId, (tx) => findDuplicateAddress(tx, tenantId, identity)),
      );
    }
  }

  /**
   * Call after the server is stored. The unique index accepts duplicates that earlier versions allowed, so this check
   * is needed.
   * @throws Problem 409 `duplicate_address`
   */
  async requireUniqueMachine(tx: EntityManager, tenantId: string, machine: ServerMachine): Promise<void> {
    const other = await findDuplicateAddress(tx, tenantId, machine);
    if (other !== null) throw duplicateAddressProblem(other);
  }

  /** @throws Problem 409 `protected_host`: a key belongs to a server in another, protected environment */
  async requireOwnKeys(
    tx: EntityManager,
    caller: Principal,
    { id, environmentId, port, name }: Pick<ServerMachine, 'id' | 'environmentId' | 'port'> & { name: string },
    pins: readonly PinnedKey[],
  ): Promise<void> {
    const fingerprints = filterHostKeys(pins).map(({ fingerprint }) => fingerprint);
    const reachedHost = { id, address: null, port, fingerprints, leaving: id };
    const found = await this.protectedHosts.findByReachedHost(tx, caller.tenantId, environmentId, reachedHost);
    if (!found) return;
    const others = await this.claims.filterVisibleServers(tx, caller, [{ ...found, name }]);
    throw conflict('protected_host', formatProtectedHost(`"${name}"`, found.by), others);
  }
}
