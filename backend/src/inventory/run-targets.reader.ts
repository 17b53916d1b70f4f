import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { prepared } from '../common/database/prepared.js';
import { NAME_KEY, type Selector } from './selectors/selector.js';
import { type SelectorSql, selectorSql } from './selectors/selector-sql.js';
import { Server } from './server.entity.js';

export const MAX_TARGETS = 10_000;

export type ReachedServer = Pick<
  Server,
  'hostname' | 'port' | 'username' | 'sshKeyId' | 'hostKey' | 'moreHostKeys' | 'jumpServerId' | 'legacyAlgorithms'
>;

export type TargetServer = ReachedServer &
  Pick<Server, 'id' | 'name' | 'tags' | 'lastReachedAddress' | 'state' | 'facts' | 'loginTimeoutSeconds'>;

const LOGIN_COLUMNS = `server.hostname, server.port, server.username, server.ssh_key_id as "sshKeyId", server.host_key as "hostKey",
    server.more_host_keys as "moreHostKeys", server.jump_server_id as "jumpServerId",
    server.legacy_algorithms as "legacyAlgorithms"`;

@Injectable()
export class RunTargetsReader {
  /**
   * Returns the enabled servers of an environment that match all selectors, sorted by name. Returns at most one server
   * more than a run may have. Call only for an environment that the caller can see.
   * @param withFacts also returns their facts
   */
  resolve(
    tx: EntityManager,
    caller: Pick<Principal, 'tenantId'>,
    environmentId: string,
    selectors: readonly Selector[],
    withFacts = false,
  ): Promise<TargetServer[]> {
    const matched = selectorSql(
      { requirements: selectors.flatMap(({ requirements }) => requirements) },
      'server',
      'selector',
      '$1',
    );
    const { sql, values } = renumberPlaceholders(matched, [caller.tenantId, environmentId]);
    const text = `select server.id, server.name, server.tags, server.last_reached_address as "lastReachedAddress",
          server.state, server.login_timeout_seconds as "loginTimeoutSeconds", ${LOGIN_COLUMNS}
          ${withFacts ? ', server.facts' : ''}
        from servers server
        where server.tenant_id = $1 and server.environment_id = $2 and server.enabled and ${sql}
        order by server.name limit ${MAX_TARGETS + 1}`;
    return tx.query<TargetServer[]>(isPlannedOnce(selectors) ? prepared(text) : text, values);
  }

  /** Returns current data by id, for servers that still exist, are enabled and belong to the environment. */
  async findPresentServers(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    serverIds: readonly string[],
  ): Promise<Map<string, ReachedServer>> {
    const rows = await tx.query<({ id: string } & ReachedServer)[]>(
      `select server.id, ${LOGIN_COLUMNS}
        from servers server
        where server.tenant_id = $1 and server.environment_id = $2 and server.enabled and server.id = any ($3)`,
      [tenantId, environmentId, serverIds],
    );
    return new Map(rows.map(({ id, ...reached }) => [id, reached]));
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

function renumberPlaceholders({ sql, parameters }: SelectorSql, before: unknown[]): { sql: string; values: unknown[] } {
  const values = [...before];
  const places = new Map(Object.entries(parameters).map(([name, value]) => [name, values.push(value)]));
  return { sql: sql.replace(/:(selector\d+)(?=::)/g, (_, name: string) => `$${places.get(name)}`), values };
}
