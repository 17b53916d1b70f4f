import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { rows, sql } from '../common/database/sql.js';
import { NAME_KEY, type Selector } from './selectors/selector.js';
import { isSelectedSql } from './selectors/selector-sql.js';
import { Server } from './fields/server.entity.js';

export const MAX_TARGETS = 10_000;

export type ServerConnectionFields = Pick<
  Server,
  'hostname' | 'port' | 'username' | 'sshKeyId' | 'hostKey' | 'moreHostKeys' | 'jumpServerId' | 'legacyAlgorithms'
>;

export type TargetServer = ServerConnectionFields &
  Pick<Server, 'id' | 'name' | 'tags' | 'lastReachedAddress' | 'state' | 'facts' | 'loginTimeoutSeconds'>;

const LOGIN_COLUMNS_SQL = sql`server.hostname, server.port, server.username, server.ssh_key_id as "sshKeyId", server.host_key as "hostKey",
    server.more_host_keys as "moreHostKeys", server.jump_server_id as "jumpServerId",
    server.legacy_algorithms as "legacyAlgorithms"`;

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
          server.state, server.login_timeout_seconds as "loginTimeoutSeconds", ${LOGIN_COLUMNS_SQL}
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
  ): Promise<Map<string, ServerConnectionFields>> {
    const found = await rows(
      tx,
      sql<{ id: string } & ServerConnectionFields>`select server.id, ${LOGIN_COLUMNS_SQL}
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
