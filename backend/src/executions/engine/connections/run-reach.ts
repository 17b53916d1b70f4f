import { Inject, Injectable } from '@nestjs/common';
import { violated } from '../../../common/database/database-problem.js';
import { RefusedAddresses } from '../../../common/network/refused-addresses.js';
import { RUNTIME, type Runtime } from '../../../common/runtime.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { checkStateOf, signedIn } from '../../../inventory/check-state.js';
import { ServerSightings, type Sighting } from '../../../inventory/checks/server-sightings.js';
import { ProtectedHosts, protectedHostText } from '../../../inventory/machines/protected-hosts.js';
import type { ServerCheck } from '../../../inventory/server.entity.js';
import { whoPinned } from '../../../inventory/host-keys/pin-history.js';
import type { HostKey } from '../../../transport/keys/host-key.js';
import { hostKeysAmong } from '../../../transport/keys/pinned-key.js';
import { endpointOf, SshError } from '../../../transport/ssh-errors.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import type { Reached } from '../../../transport/connection/tcp-socket.js';
import type { RunHost } from './run-context.js';
import type { RunRef } from '../../record/run-head.js';
import { claimMachine } from './claim-machine.js';

/** What is found out is stored this long after it was seen at the latest, in ms. */
const STORE_MS = 1_000;
const STORED_AT_ONCE = 1_000;

/** What a connection that let the run in tells of the server. */
type ReachedHost = Pick<SshConnection, 'reachedAddress' | 'latencyMs' | 'hostKey' | 'certificateUnused'>;

/** Where a run may connect to, and what it found there. */
export interface RunReach {
  /** Where no run connects to. */
  readonly refused: RefusedAddresses;
  /**
   * To be asked when a host was reached, before anything is sent to it.
   * @throws SshError `protected_host`, `duplicate_address`; and when the database is away: nothing may be sent then
   */
  admit(host: RunHost, reached: Reached): Promise<void>;
  /** The same for a key that a certificate authority vouches for. @throws as `admit` */
  admitKey(host: RunHost, key: HostKey): Promise<void>;
  /** The host let the run in. */
  connected(host: RunHost, at: ReachedHost): void;
  failed(host: RunHost, error: SshError): void;
  /** What to add to the message on a host that shows another key: who pinned the one that it should, and when. */
  whoPinned(host: RunHost): Promise<string>;
  /** Stores what was found since. Never rejects: what can't be stored now is tried again later. */
  store(): Promise<void>;
}

/** What tells nothing about the server. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['aborted', 'duplicate_address']);

@Injectable()
export class RunReaches {
  private readonly refused: RefusedAddresses;

  constructor(
    private readonly units: UnitOfWork,
    private readonly protectedHosts: ProtectedHosts,
    private readonly sightings: ServerSightings,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    this.refused = new RefusedAddresses(runtime.settings.refusedAddresses);
  }

  of(ref: RunRef, environmentId: string): RunReach {
    return new Reach(ref, environmentId, this.units, this.protectedHosts, this.sightings, this.refused);
  }
}

class Reach implements RunReach {
  private found = new Map<string, Sighting>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly ref: RunRef,
    private readonly environmentId: string,
    private readonly units: UnitOfWork,
    private readonly protectedHosts: ProtectedHosts,
    private readonly sightings: ServerSightings,
    readonly refused: RefusedAddresses,
  ) {}

  async admit(host: RunHost, { address, port }: Reached): Promise<void> {
    const { ref, environmentId } = this;
    const fingerprints = hostKeysAmong(host.pins).map(({ fingerprint }) => fingerprint);
    try {
      await this.units.run(ref.tenantId, async (tx) => {
        const shown = { address, port, fingerprints };
        const by = await this.protectedHosts.reached(tx, ref.tenantId, environmentId, shown);
        if (by) throw new SshError('protected_host', protectedHostText(`"${host.name}"`, by));
        const other = await claimMachine(tx, ref, host, address);
        if (other !== null) throw sameMachine(host, address, other);
      });
    } catch (error) {
      // Two hosts came to it at the same moment.
      if (violated(error, 'unique') !== 'execution_hosts_machine') throw error;
      throw sameMachine(host, address, null);
    }
  }

  async admitKey({ name, port }: RunHost, { fingerprint }: HostKey): Promise<void> {
    const { ref, environmentId } = this;
    const shown = { address: null, port, fingerprints: [fingerprint] };
    const by = await this.units.run(ref.tenantId, (tx) =>
      this.protectedHosts.reached(tx, ref.tenantId, environmentId, shown),
    );
    if (by) throw new SshError('protected_host', protectedHostText(`"${name}"`, by));
  }

  connected(host: RunHost, at: ReachedHost): void {
    this.note(host, 'reachable', signedIn(host.username, at.certificateUnused), at, at.hostKey);
  }

  failed(host: RunHost, error: SshError): void {
    if (SAYS_NOTHING.has(error.code)) return;
    this.note(host, checkStateOf(error, true), error.message, null, error.seen ?? null);
  }

  whoPinned({ serverId }: RunHost): Promise<string> {
    const { tenantId } = this.ref;
    return this.units.run(tenantId, (tx) => whoPinned(tx, tenantId, serverId));
  }

  async store(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const found = [...this.found.values()].slice(0, STORED_AT_ONCE);
    if (found.length === 0) return;
    for (const { serverId } of found) this.found.delete(serverId);
    try {
      await this.sightings.store(this.ref.tenantId, found);
    } catch {
      for (const each of found) if (!this.found.has(each.serverId)) this.found.set(each.serverId, each);
      return;
    }
    await this.store();
  }

  private note(
    host: RunHost,
    state: ServerCheck['state'],
    message: string,
    at: ReachedHost | null,
    seen: HostKey | null,
  ): void {
    const { serverId, hostname, port, pins: pinned } = host;
    const { executionId } = this.ref;
    const check: ServerCheck = { at: new Date().toISOString(), state, message, source: 'run', executionId };
    const reached = { reachedAddress: at?.reachedAddress ?? null, latencyMs: at?.latencyMs ?? null };
    this.found.set(serverId, { serverId, hostname, port, pinned, check, ...reached, seen });
    this.timer ??= setTimeout(() => void this.store(), STORE_MS).unref();
  }
}

function sameMachine(host: RunHost, address: string, other: string | null): SshError {
  const who = other === null ? 'another host' : `"${other}"`;
  const where = endpointOf({ host: address, port: host.port });
  return new SshError(
    'duplicate_address',
    `"${host.name}" is the same machine as ${who} of this run: both are ${host.username} on ${where} with one host key. Nothing was started here. Delete or switch off one of the two servers.`,
  );
}
