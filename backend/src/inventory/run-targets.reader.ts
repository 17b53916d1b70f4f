import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { matchesSelector, type Selector } from './selectors/selector.js';
import { Server } from './server.entity.js';

/** Most hosts of one run. */
export const MOST_TARGETS = 10_000;

/** How a server is reached. */
export type ReachedServer = Pick<Server, 'hostname' | 'port' | 'username' | 'sshKeyId' | 'hostKey'>;

/** Resolves which hosts a run would touch. */
@Injectable()
export class RunTargetsReader {
  /**
   * Enabled servers of an environment that every given selector matches, by name. The environment must have been
   * found visible before.
   */
  async resolve(tx: EntityManager, caller: Principal, environmentId: string, selectors: Selector[]): Promise<Server[]> {
    const servers = await tx.getRepository(Server).find({
      where: { tenantId: caller.tenantId, environmentId, enabled: true },
      order: { name: 'ASC' },
      take: MOST_TARGETS + 1,
    });
    return servers.filter((server) => selectors.every((selector) => matchesSelector(selector, server)));
  }

  /** Those of the servers that are still there, enabled, in the environment, and how they are reached now; by id. */
  async stillThere(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    serverIds: readonly string[],
  ): Promise<Map<string, ReachedServer>> {
    const rows = await tx.query<({ id: string } & ReachedServer)[]>(
      `select id, hostname, port, username, ssh_key_id as "sshKeyId", host_key as "hostKey"
        from servers where tenant_id = $1 and environment_id = $2 and enabled and id = any ($3)`,
      [tenantId, environmentId, serverIds],
    );
    return new Map(rows.map(({ id, ...reached }) => [id, reached]));
  }

  /**
   * Names of hosts of a run that are no enabled servers of the environment any more, `most` of them; none once a step
   * has begun: what was begun is gone through with.
   */
  async goneBeforeBegin(
    tx: EntityManager,
    { tenantId, executionId }: { tenantId: string; executionId: string },
    environmentId: string,
    most: number,
  ): Promise<string[]> {
    const rows = await tx.query<{ name: string }[]>(
      `select h.name from execution_hosts h
        where h.execution_id = $2
          and not exists (select 1 from execution_steps where execution_id = $2 and started_at is not null)
          and not exists (select 1 from servers s
            where s.tenant_id = $1 and s.id = h.server_id and s.environment_id = $3 and s.enabled)
        order by h.ordinal limit $4`,
      [tenantId, executionId, environmentId, most],
    );
    return rows.map(({ name }) => name);
  }
}
