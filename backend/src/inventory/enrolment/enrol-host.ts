import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { toDatabaseProblem } from '../../common/database/database-problem.js';
import { affected, row, sql } from '../../common/database/sql.js';
import { Problem } from '../../common/errors/problem.js';
import { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { KeyVault } from '../../keys/key-vault.js';
import type { HostKey } from '../../transport/keys/host-key.js';
import { HostProvedElsewhereProblem } from '../machines/host-claims.js';
import { type ServerMachine, toServerMachine, ServerMachines } from '../machines/server-machines.js';
import { ServerChanges } from '../server-changes.js';
import { ServerLookup } from '../server-lookup.js';
import type { ServerView } from '../servers.view.js';
import { EnrolmentRefusedError, type UsedEnrolment } from './enrolment-record.js';
import type { EnrolHostRequest } from './enrolments.dto.js';
import type { HostAnswer } from './host-answer.js';
import { chooseAddress, chooseServerName, selectPinnableKeys } from './reported-host.js';
import { type HostRequest, type EnrolmentCredential, UsedEnrolments } from './used-enrolments.js';

type RegisteredServer = Pick<ServerView, 'name' | 'hostname' | 'port' | 'username'>;

/**
 * Registers a host that presents the token of an enrolment. Acts for the enrolment's creator. All rules of a
 * registration apply.
 */
@Injectable()
export class HostEnrolment {
  private readonly refused: RefusedAddresses;

  constructor(
    private readonly enrolments: UsedEnrolments,
    private readonly servers: ServerLookup,
    private readonly changes: ServerChanges,
    private readonly machines: ServerMachines,
    private readonly keys: KeyVault,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    this.refused = new RefusedAddresses(runtime.settings.refusedAddresses);
  }

  /** While the token is valid, the same host may repeat the request and gets the same response. @throws Problem 401 */
  async enrolHost(host: HostRequest, request: EnrolHostRequest): Promise<HostAnswer> {
    const token = await this.enrolments.readCredential(host);
    let machine: ServerMachine | null = null;
    try {
      return await this.machines.storeMachine(
        token.tenantId,
        () => machine,
        (tx) =>
          this.registerServer(tx, token, host, request, (requestedMachine) => {
            machine = requestedMachine;
          }),
      );
    } catch (error) {
      const message = toRefusalReason(error);
      if (message === null) throw error;
      const { hostName, addresses, address = null } = request;
      const others = error instanceof HostProvedElsewhereProblem ? error.servers : [];
      await this.enrolments.recordRefusal(token, host, message, { hostName, addresses, address }, others);
      return { outcome: 'refused', say: [message] };
    }
  }

  private async registerServer(
    tx: EntityManager,
    token: EnrolmentCredential,
    host: HostRequest,
    request: EnrolHostRequest,
    asking: (machine: ServerMachine) => void,
  ): Promise<HostAnswer> {
    const enrolment = await this.enrolments.lockEnrolment(tx, token);
    const { keys, leftOut } = selectPinnableKeys(request.hostKeys);
    if (keys.length === 0)
      throw new EnrolmentRefusedError(`The host reported no host key that can be pinned. ${leftOut.join(' ')}`);
    const fingerprints = keys.map(({ fingerprint }) => fingerprint).sort();
    const caller = await this.enrolments.requireCreator(tx, enrolment, host);
    const key = await this.readPublicKey(tx, enrolment);
    if (enrolment.serverId !== null) {
      if (enrolment.hostKeys?.join() !== fingerprints.join())
        throw new EnrolmentRefusedError(
          'Another host has already used this enrolment. Create a separate enrolment for each host.',
        );
      const server = await this.servers.getVisible(tx, caller, enrolment.serverId).catch(() => {
        throw new EnrolmentRefusedError('The server of this enrolment was deleted. Create a new enrolment.');
      });
      return toRegisteredAnswer(server, key, leftOut);
    }
    const name = chooseServerName(enrolment.name, request.hostName);
    if (name === null)
      throw new EnrolmentRefusedError(
        'The host has no usable host name. Set one, or name the server in the enrolment.',
      );
    const viaJumpServer = enrolment.jumpServerId !== null;
    const found = chooseAddress(request, { source: host.address, viaJumpServer, refused: this.refused });
    if ('fault' in found) throw new EnrolmentRefusedError(found.fault);
    const { environmentId, sshKeyId, jumpServerId, username, port, tags } = enrolment;
    const registration = { name, hostname: found.hostname, port, username, environmentId, sshKeyId, tags };
    const machine = toServerMachine(registration);
    asking(machine);
    const hostKeys = keys.map((pin) => ({ publicKey: toKeyLine(pin) }));
    const server = await this.changes.insertServer(
      tx,
      caller,
      { ...registration, ...(jumpServerId === null ? {} : { jumpServerId }), hostKeys },
      machine,
      'enrolled',
    );
    await affected(
      tx,
      sql`update enrolments set used_at = now(), server_id = ${server.id}, host_keys = ${fingerprints}
        where tenant_id = ${token.tenantId} and id = ${token.id}`,
    );
    await this.enrolments.recordAudit(tx, enrolment, host, 'enrolment.use', {
      serverId: server.id,
      name: server.name,
      hostname: server.hostname,
      hostKeys: fingerprints,
    });
    return toRegisteredAnswer(server, key, leftOut);
  }

  private async readPublicKey(tx: EntityManager, { id, tenantId, sshKeyId }: UsedEnrolment): Promise<string> {
    const rotation = await row(
      tx,
      sql`select 1 from key_rotations r join enrolments e on e.tenant_id = r.tenant_id and e.created_at < r.created_at
        where r.tenant_id = ${tenantId} and r.old_key_id = ${sshKeyId} and e.id = ${id}`,
    );
    // Otherwise the old key would be installed on another host again.
    if (rotation)
      throw new EnrolmentRefusedError('The SSH key of this enrolment has been replaced. Create a new enrolment.');
    const line = (await this.keys.readPublicKeys(tx, tenantId, [sshKeyId])).get(sshKeyId);
    if (line === undefined)
      throw new EnrolmentRefusedError('The SSH key of this enrolment was deleted. Create a new enrolment.');
    // Drops the comment: that of an imported key may contain anything.
    return `${line.split(' ').slice(0, 2).join(' ')} runward`;
  }
}

const toKeyLine = ({ type, publicKey }: HostKey): string => `${type} ${publicKey}`;

const toRegisteredAnswer = (server: RegisteredServer, key: string, leftOut: readonly string[]): HostAnswer => ({
  outcome: 'registered',
  say: [
    ...leftOut,
    `Registered as "${server.name}": ${server.username} at ${server.hostname}, port ${server.port}. The host keys are pinned.`,
  ],
  key,
});

/** Returns the reason for refusing a host; null: neither the host nor the enrolment is the cause of the error. */
export function toRefusalReason(error: unknown): string | null {
  if (error instanceof EnrolmentRefusedError) return error.message;
  const problem = error instanceof Problem ? error : toDatabaseProblem(error);
  switch (problem?.status) {
    case 404: {
      const [item] = problem.extras.errors ?? [];
      if (item?.path === '/jumpServerId')
        return 'The jump server of this enrolment was deleted, or the creator of the enrolment can no longer see it. Create a new enrolment.';
      return 'The environment or key of this enrolment was deleted, or the creator of the enrolment can no longer see it. Create a new enrolment.';
    }
    case 403:
      return 'The creator of this enrolment can no longer use its jump server or environment. Create a new enrolment.';
    case 409:
      if (problem.code === 'duplicate_name')
        return 'A server with this name already exists. Change or delete it, or name the server in a new enrolment.';
      return problem.detail;
    default:
      return null;
  }
}
