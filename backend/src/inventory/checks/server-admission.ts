import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import type { ConnectionOptions } from '../../transport/connection/ssh-connection.js';
import type { HostKey } from '../../transport/keys/host-key.js';
import { filterHostKeys, getPinnedKeys } from '../../transport/keys/pinned-key.js';
import { formatEndpoint, SshError } from '../../transport/ssh-errors.js';
import { ProtectedHosts, formatProtectedHost } from '../machines/protected-hosts.js';
import type { Server } from '../fields/server.entity.js';

@Injectable()
export class ServerAdmission {
  private readonly refused: RefusedAddresses;

  constructor(
    private readonly units: UnitOfWork,
    private readonly protectedHosts: ProtectedHosts,
    @Inject(RUNTIME) runtime: Runtime,
  ) {
    this.refused = new RefusedAddresses(runtime.settings.refusedAddresses);
  }

  /** Prevents contact with the machine of a server in another, protected environment. */
  createAdmissionOptions(server: Server): Required<Pick<ConnectionOptions, 'admit' | 'admitKey' | 'refused'>> & {
    /** Verifies all keys that the host has proved to own. @throws SshError `protected_host` */
    admitKeys: (keys: readonly HostKey[]) => Promise<void>;
  } {
    const { id, tenantId, environmentId, hostname, port: registered } = server;
    const fingerprints = filterHostKeys(getPinnedKeys(server)).map(({ fingerprint }) => fingerprint);
    const ask = async (evidence: { address: string | null; port: number; fingerprints: readonly string[] }) => {
      const found = await this.units.run(tenantId, (tx) =>
        this.protectedHosts.findByReachedHost(tx, tenantId, environmentId, { id, ...evidence }),
      );
      if (!found) return;
      const who = formatEndpoint({ host: hostname, port: registered });
      throw new SshError('protected_host', formatProtectedHost(who, found.by));
    };
    return {
      refused: this.refused,
      admit: ({ address, port }) => ask({ address, port, fingerprints }),
      admitKey: ({ fingerprint }) => ask({ address: null, port: registered, fingerprints: [fingerprint] }),
      admitKeys: async (keys) => {
        const more = keys.map(({ fingerprint }) => fingerprint).filter((each) => !fingerprints.includes(each));
        if (more.length > 0) await ask({ address: null, port: registered, fingerprints: more });
      },
    };
  }
}
