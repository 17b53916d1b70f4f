import { openConnection, type SshConnection } from '../../transport/ssh-connection.js';
import { SshError } from '../../transport/ssh-errors.js';
import { type HostOutcome, keyMissing, outcomeOfConnection, unknownHostKey } from './host-outcome.js';
import type { RunHost, RunMaterial } from './run-material.js';

/** Connections of one run, kept warm from step to step: one per host (design: performance.md, The way 1). */
export class RunConnections {
  private readonly open = new Map<string, SshConnection>();

  constructor(private readonly material: Pick<RunMaterial, 'privateKeys'>) {}

  /** An open connection to the host, or why there is none. */
  async get(host: RunHost, signal: AbortSignal): Promise<SshConnection | HostOutcome> {
    const warm = this.open.get(host.serverId);
    if (warm?.isOpen) return warm;
    if (!host.hostKey) return unknownHostKey(host.name);
    const privateKey = this.material.privateKeys.get(host.sshKeyId);
    if (privateKey === undefined) return keyMissing();
    try {
      const connection = await openConnection(
        { host: host.hostname, port: host.port, username: host.username, privateKey, hostKey: host.hostKey },
        { signal },
      );
      this.open.set(host.serverId, connection);
      return connection;
    } catch (error) {
      if (error instanceof SshError) return outcomeOfConnection(error);
      throw error;
    }
  }

  /** Ends the connection to one host: nothing more is expected from it. */
  drop(serverId: string): void {
    this.open.get(serverId)?.end();
    this.open.delete(serverId);
  }

  closeAll(): void {
    for (const connection of this.open.values()) connection.end();
    this.open.clear();
  }
}
