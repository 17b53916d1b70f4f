import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { RefusedAddresses } from '../common/network/refused-addresses.js';
import { RUNTIME, type Runtime } from '../common/runtime.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { KeyVault } from '../keys/key-vault.js';
import type { HostKey } from '../transport/keys/host-key.js';
import { scanHostKey } from '../transport/connection/host-key-scan.js';
import { openConnection } from '../transport/connection/ssh-connection.js';
import { endpointOf, SshError } from '../transport/ssh-errors.js';
import type { Admission } from '../transport/connection/tcp-socket.js';
import { checkStateOf, signedIn } from './check-state.js';
import { ProtectedHosts, protectedHostText } from './machines/protected-hosts.js';
import type { Server, ServerCheck } from './server.entity.js';
import { ServerLookup } from './server-lookup.js';
import { ServerChanges } from './server-changes.js';
import type { ServerView } from './servers.view.js';

interface Finding {
  state: ServerCheck['state'];
  message: string;
  seen: HostKey | null;
  /** Where the host proved to own the pinned key; null: it did not. */
  reachedAddress: string | null;
}

/** Deadlines of a check, in ms: a person waits for it. */
const TIMEOUTS = { connectTimeoutMs: 5_000, handshakeTimeoutMs: 10_000 };

/** Tries the connection to a server as a run would, and tells what stands in its way. Runs no command of a person. */
@Injectable()
export class ServerChecker {
  private readonly refused: RefusedAddresses;

  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
    private readonly writer: ServerChanges,
    private readonly keys: KeyVault,
    private readonly protectedHosts: ProtectedHosts,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    this.refused = new RefusedAddresses(runtime.settings.refusedAddresses);
  }

  async check(caller: Principal, id: string): Promise<ServerView> {
    const { server, privateKey } = await this.units.run(caller.tenantId, async (tx) => {
      const server = await this.servers.writable(tx, caller, id);
      const opened = server.hostKey
        ? await this.keys.openPrivateKeys(tx, caller.tenantId, [server.sshKeyId])
        : new Map<string, string>();
      return { server, privateKey: opened.get(server.sshKeyId) ?? null };
    });
    const finding = await this.find(server, privateKey);
    const { state, message, reachedAddress } = finding;
    const lastCheck: ServerCheck = { at: new Date().toISOString(), state, message, source: 'check' };
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.writable(tx, caller, id);
      const now = await this.servers.held(tx, caller, id);
      // The address may have changed meanwhile; what was seen elsewhere must not become acceptable here.
      const moved = now.hostname !== server.hostname || now.port !== server.port;
      const repinned = now.hostKey?.fingerprint !== server.hostKey?.fingerprint;
      const change = moved
        ? {}
        : {
            lastCheck,
            seenHostKey: finding.seen ?? now.seenHostKey,
            ...(reachedAddress === null || repinned ? {} : { lastReachedAddress: reachedAddress }),
          };
      return this.writer.save(tx, caller, now, change, 'server.check');
    });
  }

  private async find(server: Server, privateKey: string | null): Promise<Finding> {
    const { hostname: host, port, username, hostKey: pinned } = server;
    const options = { ...TIMEOUTS, admit: this.admissionOf(server), refused: this.refused };
    const failed = (error: SshError, seen: HostKey | null): Finding => ({
      state: checkStateOf(error),
      seen,
      message: error.message,
      reachedAddress: null,
    });
    try {
      // No credential is shown to a host whose key nobody has accepted.
      if (!pinned || privateKey === null) return this.shown(server, await scanHostKey(host, port, options));
      const connection = await openConnection({ host, port, username, privateKey, hostKey: pinned }, options);
      connection.end();
      const { reachedAddress } = connection;
      return { state: 'reachable', seen: pinned, message: signedIn(username), reachedAddress };
    } catch (error) {
      if (!(error instanceof SshError)) throw error;
      // A host that no longer has the pinned type of key shows another one; a person needs to see it to accept it.
      const instead =
        error.code === 'host_key_type_missing' ? scanHostKey(host, port, options).catch(() => null) : null;
      return failed(error, error.seen ?? (await instead));
    }
  }

  private async shown(server: Server, seen: HostKey): Promise<Finding> {
    const { tenantId, environmentId, port } = server;
    const { type, fingerprint } = seen;
    const by = await this.units.run(tenantId, (tx) =>
      this.protectedHosts.reached(tx, tenantId, environmentId, { address: null, port, fingerprint }),
    );
    const advice = `The host shows the ${type} key ${fingerprint}. Compare it with the host's own (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub) and accept it.`;
    return {
      state: by ? 'protected_host' : 'host_key_unknown',
      seen,
      message: by ? protectedHostText('This host', by) : advice,
      reachedAddress: null,
    };
  }

  /** What is the machine of a server in another, protected environment is left alone. */
  private admissionOf({ tenantId, environmentId, hostKey, hostname }: Server): Admission {
    return async ({ address, port }) => {
      const fingerprint = hostKey?.fingerprint ?? null;
      const by = await this.units.run(tenantId, (tx) =>
        this.protectedHosts.reached(tx, tenantId, environmentId, { address, port, fingerprint }),
      );
      if (by) throw new SshError('protected_host', protectedHostText(endpointOf({ host: hostname, port }), by));
    };
  }
}
