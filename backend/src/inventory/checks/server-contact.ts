import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { KeyVault, type OpenedKey } from '../../keys/key-vault.js';
import type { HostKey } from '../../transport/keys/host-key.js';
import { scanHostKey } from '../../transport/connection/host-key-scan.js';
import { openConnection, type SshConnection } from '../../transport/connection/ssh-connection.js';
import { SshError } from '../../transport/ssh-errors.js';
import type { ConnectionStageListener } from '../../transport/connection/tcp-socket.js';
import { type JumpHop, openJumpRoute, type JumpRoute } from '../../transport/connection/jump-route.js';
import { getPinnedKeys, haveSamePins } from '../../transport/keys/pinned-key.js';
import { getStateAfterCheck, toCheckState, toNoCommandsMessage, toSignedInMessage } from '../fields/check-state.js';
import { readPinOrigin } from '../host-keys/pin-history.js';
import type { HostFacts } from '../facts/host-facts.js';
import { storeHostProofs } from '../machines/host-proofs.js';
import { type FactsAnswer, readFacts } from '../facts/read-facts.js';
import { storeProvedKeys } from '../machines/proved-host-keys.js';
import { ProtectedHosts, formatProtectedHost } from '../machines/protected-hosts.js';
import type { Server, ServerCheck } from '../fields/server.entity.js';
import { toSshLogin } from '../fields/server-connection.js';
import { toJournalAdvice } from './journal-advice.js';
import { ServerHops } from './server-hops.js';
import { ServerLookup } from '../server-lookup.js';
import { ServerChanges } from '../server-changes.js';
import { ServerAdmission } from './server-admission.js';
import type { ServerView } from '../servers.view.js';

export interface ServerContactData {
  server: Server;
  /** Jump path, with the first jump server first. */
  hops: JumpHop[];
  /** SSH key; null: no login, because no host key is pinned. */
  key: OpenedKey | null;
  publicKey: string;
}

export interface ContactFinding {
  state: ServerCheck['state'];
  message: string;
  seen: HostKey | null;
  /** Address at which the host has proved to own the pinned key; null: it has not. */
  reachedAddress: string | null;
  /** Duration of the TCP connect; null: no login. */
  latencyMs: number | null;
  facts: HostFacts | null;
  /** Host keys that the host has proved to own; empty: no login. */
  proved: readonly HostKey[];
  error: SshError | null;
}

export interface ContactObserver {
  onStage?: ConnectionStageListener;
  /** Examines the host before the connection ends. Must have its own time limit and must not throw. */
  onSignedIn?: (connection: SshConnection) => Promise<void>;
}

/** Time limits of a check, in ms: a person or the next server waits for it. */
const CONTACT_TIMEOUTS = { connectTimeoutMs: 5_000, handshakeTimeoutMs: 10_000 };
/**
 * Additional wait for further host keys, in ms. Short, because hosts announce them directly after the login, before
 * their facts are read.
 */
const HOST_KEYS_WAIT_MS = 250;

/** Contacts a server in the same way as a run, and stores the findings. */
@Injectable()
export class ServerContacts {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
    private readonly writer: ServerChanges,
    private readonly keys: KeyVault,
    private readonly protectedHosts: ProtectedHosts,
    private readonly hops: ServerHops,
    private readonly admission: ServerAdmission,
  ) {}

  /** @throws Problem 404; 403 `grant_required` */
  loadContact(caller: Principal, id: string): Promise<ServerContactData> {
    return this.units.run(caller.tenantId, async (tx) => {
      const server = await this.servers.requireWritable(tx, caller, id);
      const { publicKey } = await this.keys.getVisibleKey(tx, caller, server.sshKeyId);
      const hops = await this.hops.findHopsTo(tx, server);
      const key = getPinnedKeys(server).length > 0 ? await this.openKeyOf(tx, server) : null;
      return { server, hops, key, publicKey };
    });
  }

  /**
   * Stores the findings about the server.
   * @param source where the findings come from
   * @param writeMore additional work in the same transaction
   * @throws Problem 404; 403 `grant_required`
   */
  storeFinding(
    caller: Principal,
    { server }: ServerContactData,
    finding: ContactFinding,
    action: AuditActionName,
    source: 'check' | 'enrolment' = 'check',
    writeMore: (tx: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<ServerView> {
    const { state, message, reachedAddress, latencyMs, facts, proved } = finding;
    const at = new Date();
    const lastCheck: ServerCheck = { at: at.toISOString(), state, message, source };
    return this.units.run(caller.tenantId, async (tx) => {
      await writeMore(tx);
      await this.servers.requireWritable(tx, caller, server.id);
      const now = await this.servers.getLocked(tx, caller, server.id);
      // The address may have changed meanwhile. A key that was seen at the old address must not become acceptable at
      // the new one.
      const moved =
        now.hostname !== server.hostname || now.port !== server.port || now.jumpServerId !== server.jumpServerId;
      // Findings about another pinned key do not apply to the current one.
      const hasNewPins = !haveSamePins(getPinnedKeys(now), getPinnedKeys(server));
      const seen = { seenHostKey: finding.seen ?? now.seenHostKey };
      const reached = reachedAddress === null ? {} : { lastReachedAddress: reachedAddress, latencyMs };
      const factFields = facts === null ? {} : { facts, factsAt: at };
      if (!moved && !hasNewPins) {
        const { id: serverId, hostname, port } = server;
        await storeProvedKeys(tx, caller.tenantId, [{ serverId, hostname, port, keys: proved }]);
        if (reachedAddress !== null)
          await storeHostProofs(tx, caller.tenantId, [
            { serverId, hostname, port, reachedAddress, keys: proved, by: source },
          ]);
      }
      const change = moved
        ? {}
        : hasNewPins
          ? seen
          : { ...getStateAfterCheck(now, lastCheck), ...seen, ...reached, ...factFields };
      return this.writer.saveChange(tx, caller, now, change, action);
    });
  }

  /**
   * Connects and reads the host key. If the key is pinned, also signs in and reads the host's facts with a script that
   * changes nothing. Rejects only when the database is unavailable.
   */
  async contactHost(
    { server, key, hops }: Omit<ServerContactData, 'publicKey'>,
    { onStage, onSignedIn: examineConnection }: ContactObserver = {},
  ): Promise<ContactFinding> {
    const { username } = server;
    const pins = getPinnedKeys(server);
    const login = toSshLogin(server, pins);
    const { host, port, legacyAlgorithms, loginTimeoutMs = CONTACT_TIMEOUTS.handshakeTimeoutMs } = login;
    let route: JumpRoute | null = null;
    let proved: readonly HostKey[] = [];
    const { admitKeys, ...admission } = this.admission.createAdmissionOptions(server);
    const options = { ...CONTACT_TIMEOUTS, handshakeTimeoutMs: loginTimeoutMs, ...admission };
    try {
      route = await openJumpRoute(hops, { ...CONTACT_TIMEOUTS, refused: options.refused });
      const { via } = route;
      // Sends no credential to a host without an accepted key.
      if (pins.length === 0 || key === null) {
        return await this.toHostKeyFinding(
          server,
          await scanHostKey(host, port, { ...options, via, onStage, legacyAlgorithms }),
        );
      }
      const connection = await openConnection({ ...login, ...key }, { ...options, via, onStage });
      let answer: FactsAnswer;
      try {
        await examineConnection?.(connection);
        answer = await readFacts(connection);
        await connection.waitForHostKeys(HOST_KEYS_WAIT_MS);
        if (connection.fault) throw connection.fault;
      } finally {
        connection.end();
      }
      const { reachedAddress, latencyMs, hostKey: seen } = connection;
      proved = connection.provedHostKeys;
      await admitKeys(proved);
      const { facts, refusal, journal } = answer;
      const signedIn = toSignedInMessage(username, connection);
      const fault = journal && toJournalAdvice(journal, username).message;
      const message =
        refusal === null ? [signedIn, ...(fault ? [fault] : [])].join(' ') : toNoCommandsMessage(username, refusal);
      const state = refusal === null ? 'reachable' : 'no_commands';
      return { state, seen, message, reachedAddress, latencyMs, facts, proved, error: null };
    } catch (error) {
      if (!(error instanceof SshError)) throw error;
      // Reads another key when the host no longer has a key of a pinned type, so that a person can accept it.
      const instead =
        error.code === 'host_key_type_missing'
          ? scanHostKey(host, port, { ...options, via: route?.via, legacyAlgorithms }).catch(() => null)
          : null;
      const seen = error.seen ?? (await instead);
      const state = toCheckState(error, pins.length > 0);
      const message = `${error.message}${state === 'host_key_changed' ? await this.describePinOrigin(server) : ''}`;
      return { state, seen, message, reachedAddress: null, latencyMs: null, facts: null, proved, error };
    } finally {
      route?.end();
    }
  }

  private describePinOrigin({ tenantId, id }: Server): Promise<string> {
    return this.units.run(tenantId, (tx) => readPinOrigin(tx, tenantId, id));
  }

  private async openKeyOf(tx: EntityManager, { tenantId, sshKeyId }: Server): Promise<OpenedKey | null> {
    return (await this.keys.openPrivateKeys(tx, tenantId, [sshKeyId])).get(sshKeyId) ?? null;
  }

  private async toHostKeyFinding(server: Server, seen: HostKey): Promise<ContactFinding> {
    const { id, tenantId, environmentId, port } = server;
    const { type, fingerprint } = seen;
    const presentedHost = { id, address: null, port, fingerprints: [fingerprint] };
    const found = await this.units.run(tenantId, (tx) =>
      this.protectedHosts.findByReachedHost(tx, tenantId, environmentId, presentedHost),
    );
    const advice = `The host key is not pinned yet. The host shows the ${type} key ${fingerprint}. Compare it with the key on the host (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub) and accept it.`;
    return {
      state: found ? 'protected_host' : 'host_key_unknown',
      seen,
      message: found ? formatProtectedHost('This host', found.by) : advice,
      reachedAddress: null,
      latencyMs: null,
      facts: null,
      proved: [],
      error: null,
    };
  }
}
