import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict, notFound, type Problem } from '../common/errors/problem.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { isInVisibleEnvironment } from '../environments/visible-environment.js';
import type { JumpAddress } from './machines/jump-hops.js';
import { ServerLookup } from './server-lookup.js';

export const MAX_JUMPS = 3;

const HIDDEN_SERVER_TEXT = 'a server that you may not see';

/**
 * Serialises changes of jump paths. Otherwise two servers could concurrently become each other's jump server, an
 * undetected cycle.
 */
export async function lockJumpPaths(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`jump paths ${tenantId}`]);
}

export type JumpStop = Pick<JumpAddress, 'hostname' | 'port' | 'username' | 'jumpServerId'> & { name: string };

@Injectable()
export class JumpPaths {
  constructor(
    private readonly servers: ServerLookup,
    private readonly environments: EnvironmentReader,
  ) {}

  /**
   * Validates that the jump server can be used for the server. Locks the jump paths until the transaction ends.
   * @param server may be a new server
   * @throws Problem 404 at `/jumpServerId`; 409 `grant_required`, `jump_path`
   */
  async requireUsablePath(
    tx: EntityManager,
    caller: Principal,
    server: { id: string; name: string },
    jumpServerId: string,
  ): Promise<void> {
    const { tenantId } = caller;
    const jump = await this.servers.visible(tx, caller, jumpServerId, '/jumpServerId');
    await this.environments.requireRunnable(tx, caller, jump.environmentId, '/jumpServerId');
    await lockJumpPaths(tx, tenantId);
    const lockedRows = await tx.query<unknown[]>(
      'select 1 from servers where tenant_id = $1 and id = $2 for key share',
      [tenantId, jumpServerId],
    );
    if (lockedRows.length === 0) throw notFound('/jumpServerId');
    const before = await this.named(tx, caller, jumpServerId);
    const cycleIndex = before.findIndex(({ id }) => id === server.id);
    if (cycleIndex >= 0) {
      const path = [server.name, ...before.slice(0, cycleIndex).map(({ name }) => name), server.name];
      throw jumpPath(
        `"${server.name}" would be reached through itself: ${path.join(' → ')}. Choose another jump server.`,
      );
    }
    const longestPathBehind = await this.getLongestPathBehind(tx, tenantId, server.id);
    if (before.length + longestPathBehind <= MAX_JUMPS) return;
    const path = [server.name, ...before.map(({ name }) => name)];
    const more = longestPathBehind > 0 ? `, and other servers are reached through "${server.name}"` : '';
    throw jumpPath(`A host is reached through at most ${MAX_JUMPS} jump servers: ${path.join(' → ')}${more}.`);
  }

  /**
   * Returns these servers and their jump paths, by ID. Omits deleted servers.
   * @param environmentId environment of the hosts behind the jump servers. Servers of other environments have no name
   *   in the result.
   */
  async of(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    ids: readonly string[],
  ): Promise<Map<string, JumpAddress>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.query<(JumpAddress & { id: string })[]>(
      `with recursive path as (
          select s.*, 1 as depth from servers s where s.tenant_id = $1 and s.id = any ($2)
          union all
          select s.*, p.depth + 1 from path p join servers s on s.tenant_id = $1 and s.id = p.jump_server_id
            where p.depth < ${MAX_JUMPS})
        select distinct on (id) id, case when environment_id = $3 then name end as name, hostname, port, username,
            ssh_key_id as "sshKeyId", host_key as "hostKey", more_host_keys as "moreHostKeys",
            jump_server_id as "jumpServerId", legacy_algorithms as "legacyAlgorithms",
            login_timeout_seconds as "loginTimeoutSeconds"
          from path order by id`,
      [tenantId, [...new Set(ids)], environmentId],
    );
    // Omits default values: digests of earlier approvals, which do not contain them, stay valid.
    return new Map(
      rows.map(({ id, legacyAlgorithms, loginTimeoutSeconds, ...jump }) => [
        id,
        {
          ...jump,
          ...(legacyAlgorithms && { legacyAlgorithms }),
          ...(loginTimeoutSeconds && { loginTimeoutSeconds }),
        },
      ]),
    );
  }

  /** Returns these servers and their jump paths, by ID. Omits hidden and deleted servers. */
  async visible(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, JumpStop>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.query<({ id: string } & JumpStop)[]>(
      `with recursive path as (
          select s.*, 1 as depth from servers s where s.tenant_id = $1 and s.id = any ($2)
          union all
          select s.*, p.depth + 1 from path p join servers s on s.tenant_id = $1 and s.id = p.jump_server_id
            where p.depth < ${MAX_JUMPS})
        select distinct on (id) id, name, hostname, port, username, jump_server_id as "jumpServerId"
          from path where ${isInVisibleEnvironment('path', { role: '$3', user: '$4', limits: '$5' })} order by id`,
      [caller.tenantId, [...new Set(ids)], caller.role, caller.userId, caller.limits],
    );
    return new Map(rows.map(({ id, ...stop }) => [id, stop]));
  }

  async among(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await tx.query<{ id: string }[]>(
      'select distinct jump_server_id as id from servers where tenant_id = $1 and jump_server_id = any ($2)',
      [tenantId, ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Counts the servers directly behind this one. `seen` is the first twenty that the caller can see. */
  async longestPathBehind(
    tx: EntityManager,
    caller: Principal,
    id: string,
  ): Promise<{ seen: { id: string; name: string }[]; count: number }> {
    const rows = await tx.query<{ id: string; name: string; seen: boolean }[]>(
      `select s.id, s.name, ${isInVisibleEnvironment('s', { role: '$3', user: '$4', limits: '$5' })} as seen
        from servers s where s.tenant_id = $1 and s.jump_server_id = $2 order by s.name`,
      [caller.tenantId, id, caller.role, caller.userId, caller.limits],
    );
    const seen = rows.filter((row) => row.seen).map(({ id: server, name }) => ({ id: server, name }));
    return { seen: seen.slice(0, 20), count: rows.length };
  }

  /**
   * Returns the jump server and its jump path, with the names that the caller can see. The depth limit also ends a
   * cycle.
   */
  private named(tx: EntityManager, caller: Principal, id: string): Promise<{ id: string; name: string }[]> {
    return tx.query<{ id: string; name: string }[]>(
      `with recursive path as (
          select s.id, s.name, s.tenant_id, s.environment_id, s.jump_server_id, 1 as depth
            from servers s where s.tenant_id = $1 and s.id = $2
          union all
          select s.id, s.name, s.tenant_id, s.environment_id, s.jump_server_id, p.depth + 1
            from path p join servers s on s.tenant_id = $1 and s.id = p.jump_server_id where p.depth <= ${MAX_JUMPS})
        select id, case when ${isInVisibleEnvironment('path', { role: '$3', user: '$4', limits: '$5' })} then name else '${HIDDEN_SERVER_TEXT}' end as name
          from path order by depth`,
      [caller.tenantId, id, caller.role, caller.userId, caller.limits],
    );
  }

  /** Returns the length of the longest chain of servers that are reached through this one. */
  private async getLongestPathBehind(tx: EntityManager, tenantId: string, id: string): Promise<number> {
    const [row] = await tx.query<{ depth: number }[]>(
      `with recursive behind as (
          select s.id, 1 as depth from servers s where s.tenant_id = $1 and s.jump_server_id = $2
          union
          select s.id, b.depth + 1 from behind b join servers s on s.tenant_id = $1 and s.jump_server_id = b.id
            where b.depth <= ${MAX_JUMPS})
        select coalesce(max(depth), 0)::int as depth from behind`,
      [tenantId, id],
    );
    return row?.depth ?? 0;
  }
}

const jumpPath = (text: string): Problem => conflict('jump_path', text);
