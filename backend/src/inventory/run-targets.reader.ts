import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { matchesSelector, type Selector } from './selector.js';
import { Server } from './server.entity.js';

/** Most hosts of one run. */
export const MOST_TARGETS = 10_000;

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

  /** Those of the servers that are still there, enabled, in the environment; by id. */
  async stillThere(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    serverIds: readonly string[],
  ): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }[]>(
      'select id from servers where tenant_id = $1 and environment_id = $2 and enabled and id = any ($3)',
      [tenantId, environmentId, serverIds],
    );
    return new Set(rows.map(({ id }) => id));
  }
}
