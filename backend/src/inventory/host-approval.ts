import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { allowsApproval } from '../common/access/caller-limits.js';
import type { Principal } from '../common/access/principal.js';
import { rows, sql, type Sql } from '../common/database/sql.js';
import { grantRequiredProblem } from '../common/errors/problem.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { ENVIRONMENTS_SQL } from '../environments/environments.sql.js';
import { mayApprove, maySee } from '../environments/grant-policy.js';
import { MAX_JUMP_SERVERS } from './jump-paths.js';
import { Departures } from './machines/departures.js';
import type { Server } from './fields/server.entity.js';
import {
  findChangedHostColumns,
  areOnlyPinColumns,
  type HostColumn,
  type HostColumns,
  formatHostColumns,
} from './fields/server-fields.js';

interface GuardingEnvironment {
  name: string;
  /** True = the server belongs to the environment. False = servers of the environment are reached through it. */
  own: boolean;
  visible: boolean;
  canApprove: boolean;
}

export interface ServerGuards {
  proved: boolean;
  pinned: boolean;
  environments: readonly GuardingEnvironment[];
}

const NO_GUARDS: ServerGuards = { proved: false, pinned: false, environments: [] };

const isServerPinnedSql = (server: Sql): Sql =>
  sql`(${server}.host_key is not null or ${server}.more_host_keys <> '[]')`;
const isServerProvedSql = (server: Sql, tenantId: string): Sql =>
  sql`exists (select from host_proofs p where p.tenant_id = ${tenantId} and p.server_id = ${server}.id)`;

interface GuardRow {
  id: string;
  pinned: boolean;
  proved: boolean;
  /**
   * Protected environment of the server, or of a server that is reached through it, if the host there is pinned or
   * proved; null = none.
   */
  environmentId: string | null;
  own: boolean;
}

function readGuardRows(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<GuardRow[]> {
  const server = sql.raw('s');
  const reached = sql.raw('x');
  return rows(
    tx,
    sql<GuardRow>`with recursive reached as (
        select s.id as first, s.id, 0 as depth from servers s
          where s.tenant_id = ${tenantId} and s.id = any (${ids}::uuid[])
        union all
        select r.first, s.id, r.depth + 1 from reached r
          join servers s on s.tenant_id = ${tenantId} and s.jump_server_id = r.id where r.depth < ${MAX_JUMP_SERVERS})
      select s.id, ${isServerPinnedSql(server)} as pinned, ${isServerProvedSql(server, tenantId)} as proved,
          g.environment_id as "environmentId", g.own
        from servers s left join lateral (
          select distinct e.id as environment_id, r.depth = 0 as own
            from reached r join servers x on x.tenant_id = ${tenantId} and x.id = r.id
              join ${ENVIRONMENTS_SQL} e on e.tenant_id = ${tenantId} and e.id = x.environment_id and e.protected
            where r.first = s.id and (${isServerPinnedSql(reached)} or ${isServerProvedSql(reached, tenantId)})) g on true
        where s.tenant_id = ${tenantId} and s.id = any (${ids}::uuid[])`,
  );
}

@Injectable()
export class HostApproval {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly departures: Departures,
  ) {}

  /**
   * Returns the guards by server ID. Also starts `Departures.watch`: servers that then leave a protected environment in
   * this unit of work are reported.
   */
  async loadGuards(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, ServerGuards>> {
    await this.departures.reportIfDeparted(tx, caller);
    const guards = ids.length === 0 ? [] : await readGuardRows(tx, caller.tenantId, ids);
    const environments = new Map<string, Omit<GuardingEnvironment, 'own'>>();
    for (const { environmentId } of guards)
      if (environmentId !== null && !environments.has(environmentId))
        environments.set(environmentId, await this.getCallerRights(tx, caller, environmentId));
    const found = new Map<string, ServerGuards>();
    for (const { id, pinned, proved, environmentId, own: isOwnEnvironment } of guards) {
      const before = found.get(id)?.environments ?? [];
      const environment = environments.get(environmentId ?? '');
      found.set(id, {
        pinned,
        proved,
        environments: environment ? [...before, { ...environment, own: isOwnEnvironment }] : before,
      });
    }
    return found;
  }

  /**
   * @param change columns that get another value
   * @throws Problem 403 `grant_required`
   */
  async requireChangeRight(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    change: Partial<HostColumns>,
  ): Promise<void> {
    const columns = findChangedHostColumns(server, change);
    if (columns.length > 0)
      throwIfFault(findChangeFault(await this.loadGuardsOfServer(tx, caller, server), server.name, columns));
  }

  /** @throws Problem 403 `grant_required` */
  async requireMoveRight(tx: EntityManager, caller: Principal, server: Server): Promise<void> {
    throwIfFault(findMoveFault(await this.loadGuardsOfServer(tx, caller, server), server.name));
  }

  /** @throws Problem 403 `grant_required` */
  async requireDeletionRight(tx: EntityManager, caller: Principal, server: Server): Promise<void> {
    throwIfFault(findDeletionFault(await this.loadGuardsOfServer(tx, caller, server), server.name));
  }

  private async loadGuardsOfServer(tx: EntityManager, caller: Principal, { id }: Server): Promise<ServerGuards> {
    return (await this.loadGuards(tx, caller, [id])).get(id) ?? NO_GUARDS;
  }

  private async getCallerRights(tx: EntityManager, { tenantId, userId, limits }: Principal, environmentId: string) {
    const there = await this.environments.readRights(tx, tenantId, environmentId, [userId]);
    const rights = there?.of(userId);
    const within = limits?.environmentIds?.includes(environmentId) ?? true;
    return {
      name: there?.name ?? '',
      visible: within && rights != null && maySee(rights),
      canApprove: within && rights != null && mayApprove(rights) && allowsApproval(limits),
    };
  }
}

function throwIfFault(fault: string | null): void {
  if (fault !== null) throw grantRequiredProblem(fault);
}

const APPROVE_GRANT_ADVICE = 'needs the grant "approve" there. Ask an admin for it.';

/**
 * Returns why the caller may not change these columns; null = allowed. The first pins of an unproved server are always
 * allowed, because only approved runs reach it.
 */
export function findChangeFault(
  guards: ServerGuards | undefined,
  name: string,
  columns: readonly HostColumn[],
): string | null {
  const { proved, pinned, environments } = guards ?? NO_GUARDS;
  if (columns.length === 0 || (!proved && !pinned && areOnlyPinColumns(columns))) return null;
  const environment = environments.find(({ canApprove }) => !canApprove);
  if (!environment) return null;
  const words = formatHostColumns(columns);
  if (environment.own)
    return `"${environment.name}" is protected: changing the ${words} of "${name}" ${APPROVE_GRANT_ADVICE}`;
  const where = environment.visible ? `"${environment.name}", which is protected,` : 'a protected environment';
  return `Servers of ${where} are reached through "${name}": changing its ${words} ${APPROVE_GRANT_ADVICE}`;
}

/** Returns why the caller may not move the server to another environment; null = allowed. */
export function findMoveFault(guards: ServerGuards | undefined, name: string): string | null {
  const isOwnEnvironment = guards?.environments.find((each) => each.own && !each.canApprove);
  return isOwnEnvironment
    ? `"${isOwnEnvironment.name}" is protected: moving "${name}" to another environment ${APPROVE_GRANT_ADVICE}`
    : null;
}

/**
 * Returns why the caller may not delete the server; null = allowed. An unproved server protects nothing, so it can be
 * deleted.
 */
export function findDeletionFault(guards: ServerGuards | undefined, name: string): string | null {
  const isOwnEnvironment = guards?.proved
    ? guards.environments.find((each) => each.own && !each.canApprove)
    : undefined;
  return isOwnEnvironment
    ? `"${isOwnEnvironment.name}" is protected: deleting "${name}" ${APPROVE_GRANT_ADVICE}`
    : null;
}
