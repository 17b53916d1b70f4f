import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** A server whose address a protected environment has too. */
export interface ProtectedHost {
  serverName: string;
}

/**
 * Keeps the invariant that a host of a protected environment is only ever reached by an approved run (design: domain
 * §1): whatever name and environment else it is registered under.
 */
@Injectable()
export class ProtectedHosts {
  /** The first of these servers that has the address of one in another, protected environment; null: none has. */
  async amongServers(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    servers: readonly { name: string; hostname: string; port: number }[],
  ): Promise<ProtectedHost | null> {
    const [row] = await tx.query<ProtectedHost[]>(
      `select x.name as "serverName"
        from unnest($3::text[], $4::text[], $5::int[]) as x (name, hostname, port)
        join servers s on s.tenant_id = $1 and canonical_address(s.hostname) = canonical_address(x.hostname) and s.port = x.port
        join environments e on e.tenant_id = s.tenant_id and e.id = s.environment_id and e.protected
        where s.environment_id <> $2 order by x.name limit 1`,
      [
        tenantId,
        environmentId,
        servers.map(({ name }) => name),
        servers.map(({ hostname }) => hostname),
        servers.map(({ port }) => port),
      ],
    );
    return row ?? null;
  }

  /** The same for the hosts that a run froze. */
  async amongRun(tx: EntityManager, executionId: string, environmentId: string): Promise<ProtectedHost | null> {
    const [row] = await tx.query<ProtectedHost[]>(
      `select h.name as "serverName"
        from execution_hosts h
        join servers s on s.tenant_id = h.tenant_id and canonical_address(s.hostname) = canonical_address(h.hostname) and s.port = h.port
        join environments e on e.tenant_id = s.tenant_id and e.id = s.environment_id and e.protected
        where h.execution_id = $1 and s.environment_id <> $2 order by h.ordinal limit 1`,
      [executionId, environmentId],
    );
    return row ?? null;
  }
}
