import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { Selector } from './selectors/selector.js';
import { selectorSql } from './selectors/selector-sql.js';
import { Server } from './server.entity.js';

/** Most hosts of one run. */
export const MOST_TARGETS = 10_000;

/** How a server is reached. */
export type ReachedServer = Pick<
  Server,
  'hostname' | 'port' | 'username' | 'sshKeyId' | 'hostKey' | 'moreHostKeys' | 'jumpServerId'
>;

/** Resolves which hosts a run would touch. */
@Injectable()
export class RunTargetsReader {
  /**
   * Enabled servers of an environment that every given selector matches, by name; at the most one more than a run may
   * have. The environment must have been found visible before.
   * @param withFacts whether their facts are needed too
   */
  resolve(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    selectors: Selector[],
    withFacts = false,
  ): Promise<Server[]> {
    const matched = selectorSql({ requirements: selectors.flatMap(({ requirements }) => requirements) }, 'server');
    const found = tx
      .getRepository(Server)
      .createQueryBuilder('server')
      .where('server.tenantId = :tenantId', caller)
      .andWhere('server.environmentId = :environmentId and server.enabled', { environmentId })
      .andWhere(matched.sql, matched.parameters)
      .orderBy('server.name', 'ASC')
      .limit(MOST_TARGETS + 1);
    return (withFacts ? found.addSelect('server.facts') : found).getMany();
  }

  /** Those of the servers that are still there, enabled, in the environment, and how they are reached now; by id. */
  async stillThere(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    serverIds: readonly string[],
  ): Promise<Map<string, ReachedServer>> {
    const rows = await tx.query<({ id: string } & ReachedServer)[]>(
      `select id, hostname, port, username, ssh_key_id as "sshKeyId", host_key as "hostKey",
          more_host_keys as "moreHostKeys", jump_server_id as "jumpServerId"
        from servers where tenant_id = $1 and environment_id = $2 and enabled and id = any ($3)`,
      [tenantId, environmentId, serverIds],
    );
    return new Map(rows.map(({ id, ...reached }) => [id, reached]));
  }
}
