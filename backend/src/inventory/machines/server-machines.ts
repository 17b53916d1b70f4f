import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import { newId } from '../../common/ids.js';
import { hostKeysAmong, type PinnedKey } from '../../transport/keys/pinned-key.js';
import { HostClaims } from './host-claims.js';
import { ProtectedHosts, protectedHostText } from './protected-hosts.js';
import { doubleOf, duplicateAddress, isDoubleRefused, type MachineLogin } from './duplicate-address.js';

/** What a server is registered as. */
export type Machine = MachineLogin & { id: string; environmentId: string };

/** What a server is registered as that is still to be stored. */
export const machineOf = <T extends Omit<Machine, 'id' | 'port'> & { port?: number; name: string }>({
  name,
  environmentId,
  hostname,
  port,
  username,
}: T): Machine & { name: string } => ({ id: newId(), name, environmentId, hostname, port: port ?? 22, username });

/** The same server after a change of some of its fields. */
export function changedMachine(server: Machine, change: Partial<Machine>): Machine {
  const { id } = server;
  return {
    id,
    environmentId: change.environmentId ?? server.environmentId,
    hostname: change.hostname ?? server.hostname,
    port: change.port ?? server.port,
    username: change.username ?? server.username,
  };
}

/** What may be stored as a server: a machine of its own, and none of another, protected environment. */
@Injectable()
export class ServerMachines {
  constructor(
    private readonly units: UnitOfWork,
    private readonly protectedHosts: ProtectedHosts,
    private readonly claims: HostClaims,
  ) {}

  /**
   * Runs a unit that stores a machine, and names the other server when the database refuses it as a double.
   * @param machine what was to be stored; null: it did not come to that
   */
  async storing<T>(
    tenantId: string,
    machine: () => Machine | null,
    work: (tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.units.run(tenantId, work);
    } catch (error) {
      const asked = machine();
      if (!isDoubleRefused(error) || !asked) throw error;
      throw duplicateAddress(await this.units.run(tenantId, (tx) => doubleOf(tx, tenantId, asked)));
    }
  }

  /**
   * For a machine that was just stored: the index knows but one of the doubles that earlier versions let in.
   * @throws Problem 409 `duplicate_address`
   */
  async demandOwn(tx: EntityManager, tenantId: string, machine: Machine): Promise<void> {
    const other = await doubleOf(tx, tenantId, machine);
    if (other !== null) throw duplicateAddress(other);
  }

  /** @throws Problem 409 `protected_host`: a key is that of a server in another, protected environment */
  async demandOwnKeys(
    tx: EntityManager,
    caller: Principal,
    { id, environmentId, port, name }: Pick<Machine, 'id' | 'environmentId' | 'port'> & { name: string },
    pins: readonly PinnedKey[],
  ): Promise<void> {
    const fingerprints = hostKeysAmong(pins).map(({ fingerprint }) => fingerprint);
    const shown = { id, address: null, port, fingerprints, leaving: id };
    const found = await this.protectedHosts.reached(tx, caller.tenantId, environmentId, shown);
    if (!found) return;
    const others = await this.claims.visibleServers(tx, caller, [{ ...found, name }]);
    throw conflict('protected_host', protectedHostText(`"${name}"`, found.by), others);
  }
}
