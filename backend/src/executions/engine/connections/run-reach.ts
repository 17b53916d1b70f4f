import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RefusedAddresses } from '../../../common/network/refused-addresses.js';
import { RUNTIME, type Runtime } from '../../../common/settings/runtime.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { toCheckState, toNoCommandsMessage, toSignedInMessage } from '../../../inventory/fields/check-state.js';
import { ServerObservations, type ServerObservation } from '../../../inventory/checks/server-observations.js';
import type { RunTime, SameBy } from '../../../inventory/machines/protected-hosts.sql.js';
import {
  ProtectedHosts,
  formatProtectedHost,
  type ReachedHostKeys,
} from '../../../inventory/machines/protected-hosts.js';
import { SharedHostKeys } from '../../../inventory/machines/same-host-keys.js';
import type { ServerCheck } from '../../../inventory/fields/server.entity.js';
import { readPinOrigin } from '../../../inventory/host-keys/pin-history.js';
import type { HostKey } from '../../../transport/keys/host-key.js';
import { filterHostKeys } from '../../../transport/keys/pinned-key.js';
import { formatEndpoint, SshError } from '../../../transport/ssh-errors.js';
import type { SshConnection } from '../../../transport/connection/ssh-connection.js';
import type { ReachedAddress } from '../../../transport/connection/tcp-socket.js';
import type { RunContext, RunHost } from './run-context.js';
import type { RunRef } from '../../record/run-head.js';
import { claimMachines, compareMachineKeys, type MachineClaim, toClaimLockKey } from './claim-machine.js';
import { Batcher } from './batcher.js';

const STORE_MS = 1_000;
const HOSTS_PER_STORE = 1_000;
/**
 * Time limit for a host to announce its other keys at its first login, in ms. OpenSSH does so immediately, some servers
 * never.
 */
const ANNOUNCE_INTERVAL_MS = 2_000;

const HOSTS_PER_ADMISSION = 100;

interface ReachedHostAddress {
  host: RunHost;
  address: string;
  port: number;
}

/** What the database knows of the machine. `by`: another, protected environment to which the machine belongs. */
type AdmittedMachine = MachineClaim & { by: SameBy | null };

type ReachingRun = Pick<RunContext, 'environmentId' | 'sameMachine' | 'createdAt'>;

const NO_MACHINE_CLAIM: MachineClaim = { other: null, compared: false };

type ReachedHost = Pick<
  SshConnection,
  'reachedAddress' | 'latencyMs' | 'hostKey' | 'provedHostKeys' | 'certificateUnused' | 'legacyAlgorithmsUsed'
>;

type MachineEvidence = Pick<SshConnection, 'reachedAddress' | 'waitForHostKeys' | 'provedHostKeys'>;

/** Decides whether a run may connect to a host, and stores what it learns about the host. */
export interface HostReachability {
  readonly refused: RefusedAddresses;
  /**
   * Call when a host was reached, before anything is sent to it.
   * @throws SshError `protected_host`, `duplicate_address`; any other error means that the database is unavailable:
   *   send nothing
   */
  admitAddress(host: RunHost, reached: ReachedAddress): Promise<void>;
  /** Like `admitAddress`, but for a host key that a certificate authority signed. @throws as `admitAddress` */
  admitKey(host: RunHost, key: HostKey): Promise<void>;
  /**
   * Compares the keys that the host proved, unless they were compared before. Call after login, before any command is
   * sent. @throws as `admitAddress`
   */
  admitMachine(host: RunHost, at: MachineEvidence): Promise<void>;
  recordConnection(host: RunHost, at: ReachedHost): void;
  recordFailure(host: RunHost, error: SshError): void;
  /** Records that the login succeeded but the host runs no command. */
  reportNotRun(host: RunHost, why: string): void;
  /** Returns text for the message about a changed host key: who pinned the expected key, and when. */
  describePinOrigin(host: RunHost): Promise<string>;
  /** Stores findings; never rejects. If the database is unavailable, the next call stores them. */
  storeRecorded(): Promise<void>;
}

const UNINFORMATIVE_CODES: ReadonlySet<string> = new Set(['aborted', 'duplicate_address']);

@Injectable()
export class HostReachabilityFactory {
  private readonly refused: RefusedAddresses;

  constructor(
    private readonly units: UnitOfWork,
    private readonly protectedHosts: ProtectedHosts,
    private readonly sightings: ServerObservations,
    private readonly shared: SharedHostKeys,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    this.refused = new RefusedAddresses(runtime.settings.refusedAddresses);
  }

  createForRun(ref: RunRef, run: ReachingRun): HostReachability {
    return new RunHostReachability(
      ref,
      run,
      this.units,
      this.protectedHosts,
      this.sightings,
      this.shared,
      this.refused,
    );
  }
}

class RunHostReachability implements HostReachability {
  private found = new Map<string, ServerObservation>();
  private timer: NodeJS.Timeout | null = null;
  private readonly unknown = new Set<string>();
  private readonly admissions = new Batcher<ReachedHostAddress, AdmittedMachine>(
    (reached) => this.admitAddresses(reached),
    HOSTS_PER_ADMISSION,
    ({ host, address }) => toClaimLockKey(address, this.ref, host),
  );

  constructor(
    private readonly ref: RunRef,
    private readonly run: ReachingRun,
    private readonly units: UnitOfWork,
    private readonly protectedHosts: ProtectedHosts,
    private readonly sightings: ServerObservations,
    private readonly shared: SharedHostKeys,
    readonly refused: RefusedAddresses,
  ) {}

  async admitAddress(host: RunHost, { address, port }: ReachedAddress): Promise<void> {
    const { by, other, compared } = await this.admissions.enqueue({ host, address, port });
    if (by) throw new SshError('protected_host', formatProtectedHost(`"${host.name}"`, by));
    if (other !== null) throw toSameAddressError(host, address, other);
    if (!compared) this.unknown.add(host.serverId);
  }

  private admitAddresses(reached: readonly ReachedHostAddress[]): Promise<AdmittedMachine[]> {
    const { ref } = this;
    return this.units.run(ref.tenantId, async (tx) => {
      const evidence = reached.map(({ host, address, port }) => ({
        ...{ id: host.serverId, address, port },
        fingerprints: filterHostKeys(host.pins).map(({ fingerprint }) => fingerprint),
      }));
      const found = await this.protectedHosts.findByReachedAddress(
        ...([tx, ref.tenantId, this.run.environmentId, evidence, this.runTime] as const),
      );
      const claimedHosts = reached.filter((_, index) => !found[index]);
      const claims = await claimMachines(tx, ref, claimedHosts);
      const known = new Map(claimedHosts.map((each, index) => [each, claims[index]]));
      return reached.map((each, index) => ({ by: found[index]?.by ?? null, ...(known.get(each) ?? NO_MACHINE_CLAIM) }));
    });
  }

  async admitMachine(host: RunHost, at: MachineEvidence): Promise<void> {
    if (!this.unknown.has(host.serverId)) return;
    await at.waitForHostKeys(ANNOUNCE_INTERVAL_MS);
    const keys = at.provedHostKeys;
    const { ref } = this;
    const evidence = {
      ...{ id: host.serverId, address: null, port: host.port },
      fingerprints: keys.map(({ fingerprint }) => fingerprint),
    };
    const machine = { address: at.reachedAddress, keys, excludedIds: [...this.run.sameMachine.keys()] };
    const [by, other] = await this.units.run(ref.tenantId, async (tx) => [
      await this.findProtectedServer(tx, evidence),
      await compareMachineKeys(tx, this.shared, ref, host, machine),
    ]);
    if (by) throw new SshError('protected_host', formatProtectedHost(`"${host.name}"`, by));
    if (other) throw toSameHostKeyError(host, other);
    this.unknown.delete(host.serverId);
  }

  async admitKey({ serverId: id, name, port }: RunHost, { fingerprint }: HostKey): Promise<void> {
    const evidence = { id, address: null, port, fingerprints: [fingerprint] };
    const by = await this.units.run(this.ref.tenantId, (tx) => this.findProtectedServer(tx, evidence));
    if (by) throw new SshError('protected_host', formatProtectedHost(`"${name}"`, by));
  }

  private async findProtectedServer(tx: EntityManager, evidence: ReachedHostKeys): Promise<SameBy | null> {
    const { ref, run, runTime: time } = this;
    const [found] = await this.protectedHosts.findByReachedAddress(
      tx,
      ref.tenantId,
      run.environmentId,
      [evidence],
      time,
    );
    return found?.by ?? null;
  }

  /** Counts the run as begun: if a host becomes protected now, the run may still use it. */
  private get runTime(): RunTime {
    return { createdAt: this.run.createdAt, begun: true };
  }

  recordConnection(host: RunHost, at: ReachedHost): void {
    this.recordCheck(host, 'reachable', toSignedInMessage(host.username, at), at, at.hostKey);
  }

  recordFailure(host: RunHost, error: SshError): void {
    if (UNINFORMATIVE_CODES.has(error.code)) return;
    this.recordCheck(host, toCheckState(error, true), error.message, null, error.seen ?? null);
  }

  reportNotRun(host: RunHost, why: string): void {
    this.recordCheck(host, 'no_commands', toNoCommandsMessage(host.username, why), null, null);
  }

  describePinOrigin({ serverId }: RunHost): Promise<string> {
    const { tenantId } = this.ref;
    return this.units.run(tenantId, (tx) => readPinOrigin(tx, tenantId, serverId));
  }

  async storeRecorded(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const found = [...this.found.values()].slice(0, HOSTS_PER_STORE);
    if (found.length === 0) return;
    for (const { serverId } of found) this.found.delete(serverId);
    try {
      await this.sightings.storeAll(this.ref.tenantId, found);
    } catch {
      for (const each of found) if (!this.found.has(each.serverId)) this.found.set(each.serverId, each);
      return;
    }
    await this.storeRecorded();
  }

  private recordCheck(
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
    this.found.set(serverId, {
      ...{ serverId, hostname, port, pinned, check, ...reached, seen },
      // Evaluated when the observation is stored: the host may have announced more keys by then.
      get proved() {
        return at?.provedHostKeys ?? [];
      },
    });
    this.timer ??= setTimeout(() => void this.storeRecorded(), STORE_MS).unref();
  }
}

const toSameAddressError = (host: RunHost, address: string, other: string): SshError =>
  toSameMachineError(
    host,
    other,
    `both use the login ${host.username} at ${formatEndpoint({ host: address, port: host.port })}, and their pinned host keys do not distinguish them`,
  );

const toSameHostKeyError = (host: RunHost, other: string): SshError =>
  toSameMachineError(host, other, `both use the login ${host.username} on a host that proved to own the same host key`);

const toSameMachineError = ({ name }: RunHost, other: string, why: string): SshError =>
  new SshError(
    'duplicate_address',
    `"${name}" is the same machine as "${other}" of this run: ${why}. Nothing was started here. Delete or disable one of the two servers.`,
  );
