import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { KeyVault } from '../keys/key-vault.js';
import type { HostKey } from '../transport/host-key.js';
import { scanHostKey } from '../transport/host-key-scan.js';
import { openConnection } from '../transport/ssh-connection.js';
import { SshError } from '../transport/ssh-errors.js';
import type { Server, ServerCheck } from './server.entity.js';
import { ServerLookup } from './server-lookup.js';
import { ServersService } from './servers.service.js';
import type { ServerView } from './servers.view.js';

interface Finding {
  state: ServerCheck['state'];
  message: string;
  seen: HostKey | null;
}

/** Deadlines of a check, in ms: a person waits for it. */
const TIMEOUTS = { connectTimeoutMs: 5_000, handshakeTimeoutMs: 10_000 };

/** Tries the connection to a server as a run would, and tells what stands in its way. Runs no command of a person. */
@Injectable()
export class ServerChecker {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
    private readonly writer: ServersService,
    private readonly keys: KeyVault,
  ) {}

  async check(caller: Principal, id: string): Promise<ServerView> {
    const { server, privateKey } = await this.units.run(caller.tenantId, async (tx) => {
      const server = await this.servers.writable(tx, caller, id);
      const opened = server.hostKey
        ? await this.keys.openPrivateKeys(tx, caller.tenantId, [server.sshKeyId])
        : new Map<string, string>();
      return { server, privateKey: opened.get(server.sshKeyId) ?? null };
    });
    const finding = await find(server, privateKey);
    const lastCheck: ServerCheck = { at: new Date().toISOString(), state: finding.state, message: finding.message };
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.writable(tx, caller, id);
      const now = await this.servers.held(tx, caller, id);
      // The address may have changed meanwhile; what was seen elsewhere must not become acceptable here.
      const moved = now.hostname !== server.hostname || now.port !== server.port;
      const change = moved ? {} : { lastCheck, seenHostKey: finding.seen ?? now.seenHostKey };
      return this.writer.save(tx, caller, now, change, 'server.check');
    });
  }
}

async function find(server: Server, privateKey: string | null): Promise<Finding> {
  const pinned = server.hostKey;
  try {
    if (!pinned || privateKey === null) {
      // No credential is shown to a host whose key nobody has accepted.
      const seen = await scanHostKey(server.hostname, server.port, TIMEOUTS);
      return {
        state: 'host_key_unknown',
        seen,
        message: `The host shows the ${seen.type} key ${seen.fingerprint}. Compare it with the host's own (ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub) and accept it.`,
      };
    }
    const connection = await openConnection(
      { host: server.hostname, port: server.port, username: server.username, privateKey, hostKey: pinned },
      TIMEOUTS,
    );
    connection.end();
    return {
      state: 'reachable',
      seen: pinned,
      message: `Signed in as ${server.username}; the host key is the pinned one.`,
    };
  } catch (error) {
    if (!(error instanceof SshError)) throw error;
    return { state: stateOf(error), seen: error.seen ?? (await seenInstead(error, server)), message: error.message };
  }
}

const stateOf = ({ code }: SshError): ServerCheck['state'] => {
  if (code === 'host_key_changed' || code === 'host_key_type_missing') return 'host_key_changed';
  return code === 'login_refused' ? 'login_refused' : 'unreachable';
};

/** A host that no longer has the pinned type of key shows another one; a person needs to see it to accept it. */
async function seenInstead(error: SshError, server: Server): Promise<HostKey | null> {
  if (error.code !== 'host_key_type_missing') return null;
  return scanHostKey(server.hostname, server.port, TIMEOUTS).catch(() => null);
}
