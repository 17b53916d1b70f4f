import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { rows, sql } from '../common/database/sql.js';
import { NAME_KEY, type Selector, isSelectedSql } from './selectors/selector.js';
import type { Server } from './fields/server.entity.js';
import { selectConnectionSql, type ServerConnection } from './fields/server-fields.js';

export const MAX_TARGETS = 10_000;

export type TargetServer = ServerConnection &
  Pick<Server, 'id' | 'name' | 'tags' | 'lastReachedAddress' | 'state' | 'facts'>;

@Injectable()
export class RunTargetsReader {
  /**
   * Returns the enabled servers of an environment that match all selectors, sorted by name. Returns at most one server
   * more than a run may have. Call only for an environment that the caller can see.
   * @param withFacts also returns their facts
   */
  resolveTargets(
    tx: EntityManager,
    caller: Pick<Principal, 'tenantId'>,
    environmentId: string,
    selectors: readonly Selector[],
    withFacts = false,
  ): Promise<TargetServer[]> {
    const requirements = selectors.flatMap((selector) => selector.requirements);
    // The limit is part of the text: a cached plan could not read it from a value.
    const statement = sql<TargetServer>`
      select server.id, server.name, server.tags, server.last_reached_address as "lastReachedAddress",
          server.state, ${selectConnectionSql('server')}
          ${sql.raw(withFacts ? ', server.facts' : '')}
        from servers server
        where server.tenant_id = ${caller.tenantId} and server.environment_id = ${environmentId} and server.enabled
          and ${isSelectedSql({ requirements }, sql.raw('server'), caller.tenantId)}
        order by server.name limit ${sql.raw(`${MAX_TARGETS + 1}`)}`;
    return rows(tx, isPlannedOnce(selectors) ? sql.prepared<TargetServer>`${statement}` : statement);
  }

  /** Returns current data by id, for servers that still exist, are enabled and belong to the environment. */
  async findPresentServers(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    serverIds: readonly string[],
  ): Promise<Map<string, ServerConnection>> {
    const found = await rows(
      tx,
      sql<{ id: string } & ServerConnection>`select server.id, ${selectConnectionSql('server')}
        from servers server
        where server.tenant_id = ${tenantId} and server.environment_id = ${environmentId} and server.enabled
          and server.id = any (${serverIds})`,
    );
    return new Map(found.map(({ id, ...reached }) => [id, reached]));
  }
}

/**
 * Whether one cached plan fits the statement: the selectors select all servers, one name or one name prefix. For tags,
 * the best plan depends on the number of servers that have them.
 */
function isPlannedOnce(selectors: readonly Selector[]): boolean {
  const requirements = selectors.flatMap((selector) => selector.requirements);
  return requirements.length <= 1 && requirements.every(({ key, values }) => key === NAME_KEY && values.length === 1);
}
