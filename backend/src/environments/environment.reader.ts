import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal, Role } from '../common/access/principal.js';
import { isEnvironmentVisibleSql } from './environments.sql.js';
import { row, rows, sql, whereSql } from '../common/database/sql.js';
import { notFound, grantRequiredProblem } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import type { MemberKind } from '../tenancy/directory/member-kind.js';
import { ACTIVE_MEMBERS, MEMBERS } from '../tenancy/directory/members.sql.js';
import { SETTING_DEFAULTS } from './environment-fields.js';
import { Environment } from './environment.entity.js';
import type { UnknownAuthors } from './protection/unknown-authors.js';
import {
  type EnvironmentAccess,
  type GrantLevel,
  mayRun,
  type MemberStatus,
  describeMissingGrant,
} from './grant-policy.js';
import type { RunWindows } from './windows/run-windows.js';

export interface EnvironmentRights {
  name: string;
  protected: boolean;
  access: EnvironmentAccess;
  unknownAuthors: UnknownAuthors;
  /** Times in which runs may begin; null = any time. */
  runWindows: RunWindows | null;
  now: Date;
  /** Returns null for a removed or disabled member. */
  of(userId: string): MemberStatus | null;
}

export interface StartableEnvironment {
  environment: Environment;
  /** Whether any other environment of the tenant is protected. Only approved runs may reach its machines. */
  othersProtected: boolean;
}

export interface NamedMembers {
  count: number;
  /** The first names. */
  names: string[];
}

export interface Runners {
  /** Null = the environment was deleted. */
  access: EnvironmentAccess | null;
  runners: NamedMembers;
  admins: NamedMembers;
}

interface VisibleEnvironment extends StartableEnvironment {
  grant: GrantLevel | null;
}

/** Columns of `Environment`. */
const ENVIRONMENT_COLUMNS = sql`e.id, e.tenant_id as "tenantId", e.name, e.description, e.access, e.protected,
  e.required_approvals as "requiredApprovals", e.allow_self_approval as "allowSelfApproval",
  e.approval_ttl_seconds as "approvalTtlSeconds", e.unknown_authors as "unknownAuthors",
  e.protection_delay_seconds as "protectionDelaySeconds", e.allowed_modes as "allowedModes",
  e.host_journal as "hostJournal", e.check_interval_seconds as "checkIntervalSeconds", e.run_windows as "runWindows",
  e.created_at as "createdAt", e.updated_at as "updatedAt", e.version`;

/** Reads environments for other modules. Only this class decides whether an environment is visible or "not found". */
@Injectable()
export class EnvironmentReader {
  /**
   * Returns the environment if the caller may see it.
   * @param path JSON pointer, if the ID was in a request body
   * @throws Problem 404
   */
  async findVisibleEnvironment(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Environment> {
    return (await this.findVisibleWithGrant(tx, caller, id, path)).environment;
  }

  /**
   * Returns IDs and names of the visible environments that have one of these names or IDs. Ignores the case of names.
   */
  findVisibleByName(
    tx: EntityManager,
    caller: Principal,
    namesOrIds: readonly string[],
  ): Promise<{ id: string; name: string }[]> {
    const names = namesOrIds.map((name) => name.toLowerCase());
    const select = tx
      .getRepository(Environment)
      .createQueryBuilder('environment')
      .select(['environment.id', 'environment.name'])
      .where('environment.tenantId = :tenantId', caller)
      .andWhere('(lower(environment.name) = any (:names) or environment.id = any (:ids))', {
        names,
        ids: namesOrIds.filter(isId),
      });
    return whereSql(select, isEnvironmentVisibleSql(sql.raw('environment'), caller)).getMany();
  }

  async readOwnGrants(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, GrantLevel>> {
    const grants = await rows(
      tx,
      sql<{ environment_id: string; level: GrantLevel }>`select environment_id, level from environment_grants
        where tenant_id = ${caller.tenantId} and user_id = ${caller.userId} and environment_id = any (${ids})`,
    );
    return new Map(grants.map(({ environment_id, level }) => [environment_id, level]));
  }

  /**
   * Returns the environment if the caller may also change its records and run there.
   * @param path JSON pointer, if the ID was in a request body
   * @throws Problem 404; 403 `grant_required`
   */
  async requireRunnable(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Environment> {
    return (await this.requireStartable(tx, caller, id, path)).environment;
  }

  /**
   * Like `requireRunnable`. Also returns whether another environment of the tenant is protected, even if the caller
   * cannot see that one.
   * @throws Problem like `requireRunnable`
   */
  async requireStartable(
    tx: EntityManager,
    caller: Principal,
    id: string,
    path?: string,
  ): Promise<StartableEnvironment> {
    const { environment, grant, othersProtected } = await this.findVisibleWithGrant(tx, caller, id, path);
    requireRunRight(caller, environment, grant);
    return { environment, othersProtected };
  }

  /**
   * Verifies that the caller may change records of a visible environment and run there.
   * @throws Problem 403 `grant_required`. It reveals nothing, because the caller can see the record
   */
  async requireOwnRunRight(tx: EntityManager, caller: Principal, environment: Environment): Promise<void> {
    requireRunRight(
      caller,
      environment,
      (await this.readOwnGrants(tx, caller, [environment.id])).get(environment.id) ?? null,
    );
  }

  /** @throws Problem 404 */
  private async findVisibleWithGrant(
    tx: EntityManager,
    caller: Principal,
    id: string,
    path?: string,
  ): Promise<VisibleEnvironment> {
    if (!isId(id)) throw notFound(path);
    const { tenantId, userId } = caller;
    const found = await row(
      tx,
      sql.prepared<Environment & Omit<VisibleEnvironment, 'environment'>>`
        select ${ENVIRONMENT_COLUMNS}, g.level as "grant",
            exists (select from environments o where o.tenant_id = ${tenantId} and o.protected and o.id <> ${id}) as "othersProtected"
          from environments e
          left join environment_grants g on g.tenant_id = e.tenant_id and g.environment_id = e.id and g.user_id = ${userId}
          where e.tenant_id = ${tenantId} and e.id = ${id} and ${isEnvironmentVisibleSql(sql.raw('e'), caller)}`,
    );
    if (!found) throw notFound(path);
    const { grant, othersProtected, ...environment } = found;
    return {
      environment: Object.assign(new Environment(), environment),
      grant,
      othersProtected,
    };
  }

  /**
   * Locks the environment until the transaction ends, so that it cannot change after its version was read.
   * @throws Problem 404
   */
  async lockEnvironment(tx: EntityManager, caller: Principal, id: string): Promise<Environment> {
    await this.findVisibleEnvironment(tx, caller, id);
    const lock = { mode: 'pessimistic_write' as const };
    const environment = await tx.getRepository(Environment).findOne({ where: { tenantId: caller.tenantId, id }, lock });
    if (!environment) throw notFound();
    return environment;
  }

  /**
   * Returns the current rights of members in the environment, independent of any caller; null = the environment was
   * deleted.
   */
  async readRights(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    userIds: readonly string[],
  ): Promise<EnvironmentRights | null> {
    const found = await rows(
      tx,
      sql<RightsRow>`
        select e.name, e.protected, e.access, e.unknown_authors, e.run_windows, now() as now, u.id as user_id, u.role, u.kind, g.level
          from environments e
          left join ${ACTIVE_MEMBERS} u on u.tenant_id = e.tenant_id and u.id = any (${userIds})
          left join environment_grants g on g.tenant_id = e.tenant_id and g.environment_id = e.id and g.user_id = u.id
          where e.tenant_id = ${tenantId} and e.id = ${environmentId}`,
    );
    const [first] = found;
    if (!first) return null;
    const { name, access } = first;
    return {
      name,
      protected: first.protected,
      access,
      unknownAuthors: first.unknown_authors,
      runWindows: first.run_windows,
      now: first.now,
      of(userId) {
        const member = found.find((each) => each.user_id === userId);
        if (!member?.role) return null;
        return { role: member.role, access, grant: member.level, machine: member.kind === 'service_account' };
      },
    };
  }

  /** Returns the ID of the environment with this name or ID, visible or not; null = none. */
  async findIdByName(tx: EntityManager, tenantId: string, nameOrId: string): Promise<string | null> {
    const found = await row(
      tx,
      sql<{ id: string }>`select id from environments
        where tenant_id = ${tenantId} and (lower(name) = lower(${nameOrId}) or id::text = lower(${nameOrId}))`,
    );
    return found?.id ?? null;
  }

  /** Does not check whether the caller may see the environments. */
  async readNames(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const named = await rows(
      tx,
      sql<{ id: string; name: string }>`
        select id, name from environments where tenant_id = ${tenantId} and id = any (${ids})`,
    );
    return new Map(named.map(({ id, name }) => [id, name]));
  }

  /**
   * Returns at most 1,000 people who may approve runs in the environment, sorted by name. Same rule as `mayApprove`.
   */
  listApprovers(tx: EntityManager, tenantId: string, environmentId: string): Promise<{ id: string; name: string }[]> {
    return rows(
      tx,
      sql<{ id: string; name: string }>`
        select m.id, m.name from ${ACTIVE_MEMBERS} u
          join ${MEMBERS} m on m.tenant_id = u.tenant_id and m.id = u.id
          left join environment_grants g
            on g.tenant_id = u.tenant_id and g.environment_id = ${environmentId} and g.user_id = u.id
          where u.tenant_id = ${tenantId} and u.kind = 'person' and (u.role = 'admin' or g.level = 'approve')
          order by m.name, m.id limit 1000`,
    );
  }

  /**
   * Returns the people who may start and cancel runs in the environment, and the admins, each sorted by name. Same rule
   * as `mayRun`. In a deleted environment only admins may.
   * @param limit maximum number of names
   */
  async listRunners(tx: EntityManager, tenantId: string, environmentId: string, limit: number): Promise<Runners> {
    const found = await row(
      tx,
      sql<Runners['runners'] & { admins: number; adminNames: string[] | null; access: EnvironmentAccess | null }>`
        select max(access) as access, count(*) filter (where may_run)::int as "count",
            (array_agg(name order by name, id) filter (where may_run))[1:${limit}::int] as names,
            count(*) filter (where role = 'admin')::int as admins,
            (array_agg(name order by name, id) filter (where role = 'admin'))[1:${limit}::int] as "adminNames"
          from (select m.id, m.name, u.role, e.access,
              u.role = 'admin' or u.role = 'operator' and (e.access = 'open' or coalesce(g.level in ('run', 'approve'), false)) as may_run
            from ${ACTIVE_MEMBERS} u
            join ${MEMBERS} m on m.tenant_id = u.tenant_id and m.id = u.id
            left join environments e on e.tenant_id = u.tenant_id and e.id = ${environmentId}
            left join environment_grants g
              on g.tenant_id = u.tenant_id and g.environment_id = e.id and g.user_id = u.id
            where u.tenant_id = ${tenantId} and u.kind = 'person') members`,
    );
    const { access = null, count = 0, names, admins = 0, adminNames } = found ?? {};
    return { access, runners: { count, names: names ?? [] }, admins: { count: admins, names: adminNames ?? [] } };
  }

  /** Returns the current approval policy of the environment, or the defaults if it was deleted. */
  async readApprovalPolicy(
    tx: EntityManager,
    tenantId: string,
    id: string,
  ): Promise<Pick<Environment, 'requiredApprovals' | 'allowSelfApproval' | 'approvalTtlSeconds'>> {
    const environment = await tx.getRepository(Environment).findOneBy({ tenantId, id });
    return environment ?? SETTING_DEFAULTS;
  }
}

/** @throws Problem 403 `grant_required` */
function requireRunRight({ role }: Principal, { name, access }: Environment, grant: GrantLevel | null): void {
  if (mayRun({ role, access, grant })) return;
  throw grantRequiredProblem(describeMissingGrant('run', name, grant));
}

interface RightsRow {
  name: string;
  protected: boolean;
  access: EnvironmentAccess;
  unknown_authors: UnknownAuthors;
  run_windows: RunWindows | null;
  now: Date;
  user_id: string | null;
  role: Role | null;
  kind: MemberKind | null;
  level: GrantLevel | null;
}
