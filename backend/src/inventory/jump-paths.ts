import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { row, rows, sql } from '../common/database/sql.js';
import { conflict, notFound, type Problem } from '../common/errors/problem.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { isInVisibleEnvironmentSql } from '../environments/environments.sql.js';
import type { JumpServerLogin } from './fields/server-connection.js';
import { selectConnectionSql, type ServerConnection } from './fields/server-fields.js';
import { omitDefaultSettings } from './fields/server-settings.js';
import { ServerLookup } from './server-lookup.js';

export const MAX_JUMP_SERVERS = 3;

const HIDDEN_SERVER_TEXT = 'a server that you may not see';

/**
 * Serialises changes of jump paths. Otherwise two servers could concurrently become each other's jump server, an
 * undetected cycle.
 */
export async function lockJumpPaths(tx: EntityManager, tenantId: string): Promise<void> {
  await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`jump paths ${tenantId}`}, 0))`);
}

export type JumpServerAddress = Pick<JumpServerLogin, 'hostname' | 'port' | 'username' | 'jumpServerId'> & {
  name: string;
};

@Injectable()
export class JumpPaths {
  constructor(
    private readonly servers: ServerLookup,
    private readonly environments: EnvironmentReader,
  ) {}

  /**
   * Validates that the jump server can be used for the server. Locks the jump paths until the transaction ends.
   * @param server may be a new server
   * @throws Problem 404 at `/jumpServerId`; 403 `grant_required`; 409 `jump_path`
   */
  async requireUsablePath(
    tx: EntityManager,
    caller: Principal,
    server: { id: string; name: string },
    jumpServerId: string,
  ): Promise<void> {
    const { tenantId } = caller;
    const jump = await this.servers.getVisible(tx, caller, jumpServerId, '/jumpServerId');
    await this.environments.requireRunnable(tx, caller, jump.environmentId, '/jumpServerId');
    await lockJumpPaths(tx, tenantId);
    const locked = await row(
      tx,
      sql`select 1 from servers where tenant_id = ${tenantId} and id = ${jumpServerId} for key share`,
    );
    if (locked === undefined) throw notFound('/jumpServerId');
    const before = await this.findNameIfVisible(tx, caller, jumpServerId);
    const cycleIndex = before.findIndex(({ id }) => id === server.id);
    if (cycleIndex >= 0) {
      const path = [server.name, ...before.slice(0, cycleIndex).map(({ name }) => name), server.name];
      throw jumpPathProblem(
        `"${server.name}" would be reached through itself: ${path.join(' → ')}. Choose another jump server.`,
      );
    }
    const longestPathBehind = await this.getLongestPathBehind(tx, tenantId, server.id);
    if (before.length + longestPathBehind <= MAX_JUMP_SERVERS) return;
    const path = [server.name, ...before.map(({ name }) => name)];
    const more = longestPathBehind > 0 ? `, and other servers are reached through "${server.name}"` : '';
    throw jumpPathProblem(
      `A host is reached through at most ${MAX_JUMP_SERVERS} jump servers: ${path.join(' → ')}${more}.`,
    );
  }

  /**
   * Returns these servers and their jump paths, by ID. Omits deleted servers.
   * @param environmentId environment of the hosts behind the jump servers. Servers of other environments have no name
   *   in the result.
   */
  async findJumpServers(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    ids: readonly string[],
  ): Promise<Map<string, JumpServerLogin>> {
    if (ids.length === 0) return new Map();
    const found = await rows(
      tx,
      sql<{ id: string; name: string | null } & ServerConnection>`with recursive path as (
          select s.*, 1 as depth from servers s
            where s.tenant_id = ${tenantId} and s.id = any (${[...new Set(ids)]})
          union all
          select s.*, p.depth + 1 from path p
            join servers s on s.tenant_id = ${tenantId} and s.id = p.jump_server_id
            where p.depth < ${MAX_JUMP_SERVERS})
        select distinct on (id) id, case when environment_id = ${environmentId} then name end as name,
            ${selectConnectionSql('path')}
          from path order by id`,
    );
    // Omits default values: digests of earlier approvals, which do not contain them, stay valid.
    return new Map(
      found.map(
        ({ id, name, hostname, port, username, sshKeyId, hostKey, moreHostKeys, jumpServerId, ...settings }) => [
          id,
          {
            name,
            hostname,
            port,
            username,
            sshKeyId,
            hostKey,
            moreHostKeys,
            jumpServerId,
            ...omitDefaultSettings(settings),
          },
        ],
      ),
    );
  }

  /** Returns these servers and their jump paths, by ID. Omits hidden and deleted servers. */
  async findVisibleJumpServers(
    tx: EntityManager,
    caller: Principal,
    ids: readonly string[],
  ): Promise<Map<string, JumpServerAddress>> {
    if (ids.length === 0) return new Map();
    const found = await rows(
      tx,
      sql<{ id: string } & JumpServerAddress>`with recursive path as (
          select s.*, 1 as depth from servers s
            where s.tenant_id = ${caller.tenantId} and s.id = any (${[...new Set(ids)]})
          union all
          select s.*, p.depth + 1 from path p
            join servers s on s.tenant_id = ${caller.tenantId} and s.id = p.jump_server_id
            where p.depth < ${MAX_JUMP_SERVERS})
        select distinct on (id) id, name, hostname, port, username, jump_server_id as "jumpServerId"
          from path where ${isInVisibleEnvironmentSql(sql.raw('path'), caller)} order by id`,
    );
    return new Map(found.map(({ id, ...stop }) => [id, stop]));
  }

  async filterJumpServers(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
    const found = await rows(
      tx,
      // The condition excludes null; the cast tells the checker so.
      sql<{ id: string }>`select distinct jump_server_id::text as id from servers
        where tenant_id = ${tenantId} and jump_server_id = any (${ids})`,
    );
    return new Set(found.map(({ id }) => id));
  }

  /** Counts the servers directly behind this one. `seen` is the first twenty that the caller can see. */
  async findServersBehind(
    tx: EntityManager,
    caller: Principal,
    id: string,
  ): Promise<{ seen: { id: string; name: string }[]; count: number }> {
    const behind = await rows(
      tx,
      sql<{ id: string; name: string; seen: boolean }>`
        select s.id, s.name, ${isInVisibleEnvironmentSql(sql.raw('s'), caller)} as seen
          from servers s where s.tenant_id = ${caller.tenantId} and s.jump_server_id = ${id} order by s.name`,
    );
    const seen = behind.filter((each) => each.seen).map(({ id: server, name }) => ({ id: server, name }));
    return { seen: seen.slice(0, 20), count: behind.length };
  }

  /**
   * Returns the jump server and its jump path, with the names that the caller can see. The depth limit also ends a
   * cycle.
   */
  private findNameIfVisible(tx: EntityManager, caller: Principal, id: string): Promise<{ id: string; name: string }[]> {
    const visible = isInVisibleEnvironmentSql(sql.raw('path'), caller);
    return rows(
      tx,
      sql<{ id: string; name: string }>`with recursive path as (
          select s.id, s.name, s.tenant_id, s.environment_id, s.jump_server_id, 1 as depth
            from servers s where s.tenant_id = ${caller.tenantId} and s.id = ${id}
          union all
          select s.id, s.name, s.tenant_id, s.environment_id, s.jump_server_id, p.depth + 1
            from path p join servers s on s.tenant_id = ${caller.tenantId} and s.id = p.jump_server_id
            where p.depth <= ${MAX_JUMP_SERVERS})
        select id, case when ${visible} then name else ${HIDDEN_SERVER_TEXT} end as name from path order by depth`,
    );
  }

  /** Returns the length of the longest chain of servers that are reached through this one. */
  private async getLongestPathBehind(tx: EntityManager, tenantId: string, id: string): Promise<number> {
    const longest = await row(
      tx,
      sql<{ depth: number }>`with recursive behind as (
          select s.id, 1 as depth from servers s where s.tenant_id = ${tenantId} and s.jump_server_id = ${id}
          union
          select s.id, b.depth + 1 from behind b
            join servers s on s.tenant_id = ${tenantId} and s.jump_server_id = b.id
            where b.depth <= ${MAX_JUMP_SERVERS})
        select coalesce(max(depth), 0)::int as depth from behind`,
    );
    return longest?.depth ?? 0;
  }
}

const jumpPathProblem = (text: string): Problem => conflict('jump_path', text);
