import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import { demandVersion } from '../../common/http/if-match.js';
import { afterCheck } from '../check-state.js';
import type { ServerCheck } from '../server.entity.js';
import { ServerLookup } from '../server-lookup.js';
import type { ShareHostKeyRequest } from '../servers.dto.js';
import { ServerChanges } from '../server-changes.js';
import type { ServerView } from '../servers.view.js';
import { ServerMachines } from '../machines/server-machines.js';
import { SharedHostKeys } from '../machines/shared-host-keys.js';

/** What people say about the host keys of servers. */
@Injectable()
export class HostKeyTrust {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
    private readonly writer: ServerChanges,
    private readonly machines: ServerMachines,
    private readonly sharedKeys: SharedHostKeys,
  ) {}

  /**
   * Pins the host key with this fingerprint, which must be the one that was seen last.
   * @throws Problem 409 `host_key_not_seen`, `protected_host`
   */
  accept(caller: Principal, id: string, fingerprint: string, version: number | null): Promise<ServerView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.writable(tx, caller, id);
      const server = await this.servers.held(tx, caller, id);
      demandVersion(server, version);
      if (server.seenHostKey?.fingerprint !== fingerprint) {
        const seen = server.seenHostKey
          ? `The last check saw ${server.seenHostKey.fingerprint}.`
          : 'No check has seen a key yet.';
        throw conflict(
          'host_key_not_seen',
          `${seen} Run the check again and compare the fingerprint with the host's own.`,
        );
      }
      await this.machines.demandOwnKey(tx, caller.tenantId, server, { fingerprint });
      const lastCheck: ServerCheck = {
        at: new Date().toISOString(),
        state: 'host_key_accepted',
        message: 'The host showed this key, and it was accepted. Check again to test the login.',
        source: 'acceptance',
      };
      return this.writer.save(
        tx,
        caller,
        server,
        { hostKey: server.seenHostKey, ...afterCheck(server, lastCheck), lastReachedAddress: null },
        'server.accept_host_key',
      );
    });
  }

  /**
   * Marks the pinned host key of a server as shown by several machines, or takes the mark back. It holds for all servers
   * of the tenant with that key. A key that is shared tells nobody which machine shows it, so it keeps nobody away from
   * the machines of protected environments; their addresses still do.
   * @throws Problem 404; 409 `host_key_not_pinned`
   */
  share(caller: Principal, id: string, { shared, reason }: ShareHostKeyRequest): Promise<ServerView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const server = await this.servers.held(tx, caller, id);
      const { hostKey } = server;
      if (!hostKey)
        throw conflict('host_key_not_pinned', `"${server.name}" has no accepted host key yet. Accept its key first.`);
      const { tenantId } = caller;
      const change = () =>
        shared
          ? this.sharedKeys.mark(tx, tenantId, hostKey.fingerprint, reason ?? '')
          : this.sharedKeys.unmark(tx, tenantId, hostKey.fingerprint);
      const action = shared ? 'server.share_host_key' : 'server.unshare_host_key';
      return this.writer.saveWith(tx, caller, server, change, action, { reason: reason ?? null });
    });
  }
}
