import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal, Role } from '../common/access/principal.js';
import { environmentIsVisible, NAMED_CALLER } from './visible-environment.js';
import { entityColumns } from '../common/database/entity-columns.js';
import { prepared } from '../common/database/prepared.js';
import { conflict, notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import type { MemberKind } from '../common/access/member-kind.js';
import { ACTIVE_MEMBERS, MEMBERS } from '../tenancy/directory/members.sql.js';
import { Environment } from './environment.entity.js';
import type { UnknownAuthors } from './protection/unknown-authors.js';
import type { GrantLevel } from '../common/access/grant-level.js';
import { type EnvironmentAccess, mayRun, type MemberRights } from './grant-policy.js';
import type { RunWindows } from './windows/run-windows.js';

/** How members stand to an environment at this moment. */
export interface EnvironmentRights {
  name: string;
  protected: boolean;
  access: EnvironmentAccess;
  unknownAuthors: UnknownAuthors;
  /** When runs may begin; null: at any time. */
  runWindows: RunWindows | null;
  /** By the database's clock. */
  now: Date;
  /** Null for a member who is gone or disabled. */
  of(userId: string): MemberRights | null;
}

/** An environment that a run may start in. */
export interface StartableEnvironment {
  environment: Environment;
  /** Whether the tenant has another one that is protected, whose machines only approved runs reach. */
  othersProtected: boolean;
}

interface SeenEnvironment extends StartableEnvironment {
  /** The caller's own. */
  grant: GrantLevel | null;
}

/** What other rooms may ask about environments. Visible-or-not-found is decided here alone. */
@Injectable()
export class EnvironmentReader {
  /**
   * The environment if the caller may see it.
   * @param path JSON pointer, when the id stood in a body
   * @throws Problem 404
   */
  async visible(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Environment> {
    return (await this.seen(tx, caller, id, path)).environment;
  }

  /** Ids and names of the environments of these names or ids that the caller sees; case is no difference. */
  named(tx: EntityManager, caller: Principal, namesOrIds: readonly string[]): Promise<{ id: string; name: string }[]> {
    const names = namesOrIds.map((name) => name.toLowerCase());
    return tx
      .getRepository(Environment)
      .createQueryBuilder('environment')
      .select(['environment.id', 'environment.name'])
      .where('environment.tenantId = :tenantId', caller)
      .andWhere('(lower(environment.name) = any (:names) or environment.id = any (:ids))', {
        names,
        ids: namesOrIds.filter(isId),
      })
      .andWhere(environmentIsVisible('environment', NAMED_CALLER))
      .getMany();
  }

  /** The caller's own grants by environment id. */
  async ownGrants(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Map<string, GrantLevel>> {
    const rows = await tx.query<{ environment_id: string; level: GrantLevel }[]>(
      'select environment_id, level from environment_grants where tenant_id = $1 and user_id = $2 and environment_id = any ($3)',
      [caller.tenantId, caller.userId, ids],
    );
    return new Map(rows.map((row) => [row.environment_id, row.level]));
  }

  /**
   * The environment if the caller may also change what hangs on it and run there.
   * @param path JSON pointer, when the id stood in a body
   * @throws Problem 404; 409 `grant_required`
   */
  async runnable(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Environment> {
    return (await this.startable(tx, caller, id, path)).environment;
  }

  /**
   * As `runnable`, and whether another environment of the tenant is protected, which the caller need not see.
   * @throws Problem as `runnable`
   */
  async startable(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<StartableEnvironment> {
    const { environment, grant, othersProtected } = await this.seen(tx, caller, id, path);
    demandRun(caller, environment, grant);
    return { environment, othersProtected };
  }

  /**
   * For whoever found the environment visible: whether the caller may also change what hangs on it and run there.
   * @throws Problem 409 `grant_required`: the caller sees the record, so a refusal tells nothing new
   */
  async demandRun(tx: EntityManager, caller: Principal, environment: Environment): Promise<void> {
    demandRun(caller, environment, (await this.ownGrants(tx, caller, [environment.id])).get(environment.id) ?? null);
  }

  /** The environment with the caller's own grant there. @throws Problem 404 */
  private async seen(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<SeenEnvironment> {
    const [row] = isId(id)
      ? await tx.query<(Environment & Omit<SeenEnvironment, 'environment'>)[]>(
          prepared(`select ${entityColumns(tx, Environment, 'e')}, g.level as "grant",
              exists (select from environments o where o.tenant_id = $1 and o.protected and o.id <> $2) as "othersProtected"
            from environments e
            left join environment_grants g on g.tenant_id = e.tenant_id and g.environment_id = e.id and g.user_id = $4
            where e.tenant_id = $1 and e.id = $2 and ${environmentIsVisible('e', { role: '$3::text', user: '$4', limits: '$5' })}`),
          [caller.tenantId, id, caller.role, caller.userId, caller.limits],
        )
      : [];
    if (!row) throw notFound(path);
    const { grant, othersProtected, ...environment } = row;
    return { environment: Object.assign(new Environment(), environment), grant, othersProtected };
  }

  /**
   * The same, held until the transaction ends: nobody else changes it between the look at its version and the change.
   * @throws Problem 404
   */
  async held(tx: EntityManager, caller: Principal, id: string): Promise<Environment> {
    await this.visible(tx, caller, id);
    const lock = { mode: 'pessimistic_write' as const };
    const environment = await tx.getRepository(Environment).findOne({ where: { tenantId: caller.tenantId, id }, lock });
    if (!environment) throw notFound();
    return environment;
  }

  /** How these members stand to the environment now, whoever asks; null: it is gone. */
  async rightsIn(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    userIds: readonly string[],
  ): Promise<EnvironmentRights | null> {
    const rows = await tx.query<RightsRow[]>(
      `select e.name, e.protected, e.access, e.unknown_authors, e.run_windows, now() as now, u.id as user_id, u.role, u.kind, g.level
        from environments e
        left join ${ACTIVE_MEMBERS} u on u.tenant_id = e.tenant_id and u.id = any ($3)
        left join environment_grants g on g.tenant_id = e.tenant_id and g.environment_id = e.id and g.user_id = u.id
        where e.tenant_id = $1 and e.id = $2`,
      [tenantId, environmentId, userIds],
    );
    const [first] = rows;
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
        const row = rows.find((each) => each.user_id === userId);
        return row?.role ? { role: row.role, access, grant: row.level, machine: row.kind === 'service_account' } : null;
      },
    };
  }

  /** Names of environments by their ids, whoever may see them. */
  async names(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await tx.query<{ id: string; name: string }[]>(
      'select id, name from environments where tenant_id = $1 and id = any ($2)',
      [tenantId, ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** The people who may let runs into the environment now, by name, at most 1,000. `mayApprove` says the same of one. */
  approvers(tx: EntityManager, tenantId: string, environmentId: string): Promise<{ id: string; name: string }[]> {
    return tx.query<{ id: string; name: string }[]>(
      `select m.id, m.name from ${ACTIVE_MEMBERS} u
        join ${MEMBERS} m on m.tenant_id = u.tenant_id and m.id = u.id
        left join environment_grants g on g.tenant_id = u.tenant_id and g.environment_id = $2 and g.user_id = u.id
        where u.tenant_id = $1 and u.kind = 'person' and (u.role = 'admin' or g.level = 'approve') order by m.name, m.id limit 1000`,
      [tenantId, environmentId],
    );
  }

  /** What the environment asks of approvals now; the defaults when it is gone. */
  async approvalPolicy(
    tx: EntityManager,
    tenantId: string,
    id: string,
  ): Promise<Pick<Environment, 'requiredApprovals' | 'allowSelfApproval' | 'approvalTtlSeconds'>> {
    const environment = await tx.getRepository(Environment).findOneBy({ tenantId, id });
    return environment ?? { requiredApprovals: 1, allowSelfApproval: false, approvalTtlSeconds: 86_400 };
  }
}

/** @throws Problem 409 `grant_required` */
function demandRun({ role }: Principal, { name, access }: Environment, grant: GrantLevel | null): void {
  if (mayRun({ role, access, grant })) return;
  throw conflict(
    'grant_required',
    `"${name}" is restricted and this needs the grant "run" there${grant ? `; yours is "${grant}"` : ''}. Ask an admin for it.`,
  );
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
