import type { EntityManager } from 'typeorm';
import type { EnvironmentAccess, GrantLevel } from './grant-policy.js';
import type { Principal } from '../common/access/principal.js';
import { row, rows, sql } from '../common/database/sql.js';
import { isId } from '../common/ids.js';
import type { RunWindows } from './windows/run-windows.js';
import { mayRunSql, isEnvironmentVisibleSql, isWithinLimitsSql } from './environments.sql.js';

export async function canSeeEnvironment(tx: EntityManager, caller: Principal, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  const found = await row(
    tx,
    sql`select 1 from environments e
      where e.tenant_id = ${caller.tenantId} and e.id = ${id} and ${isEnvironmentVisibleSql(sql.raw('e'), caller)}`,
  );
  return found !== undefined;
}

export async function filterVisibleEnvironments(
  tx: EntityManager,
  caller: Principal,
  ids: readonly string[],
): Promise<string[]> {
  const found = await rows(
    tx,
    sql<{ id: string }>`select e.id from environments e where e.tenant_id = ${caller.tenantId}
      and e.id = any (${ids}::uuid[]) and ${isEnvironmentVisibleSql(sql.raw('e'), caller)}`,
  );
  return found.map(({ id }) => id);
}

interface NamedGrant {
  environmentId: string;
  environmentName: string;
  level: GrantLevel;
}

export const listOwnGrants = (tx: EntityManager, caller: Principal, limit: number): Promise<NamedGrant[]> =>
  rows(
    tx,
    sql<NamedGrant>`select g.environment_id as "environmentId", e.name as "environmentName", g.level
      from environment_grants g join environments e on e.tenant_id = g.tenant_id and e.id = g.environment_id
      where g.tenant_id = ${caller.tenantId} and g.user_id = ${caller.userId}
        and ${isWithinLimitsSql('environmentIds', sql`e.id`, caller)}
      order by lower(e.name) limit ${limit}`,
  );

/** Up to this number of visible environments, a list query searches each environment separately. */
const MAX_FEW_ENVIRONMENTS = 64;

/** Returns the IDs of the environments that the caller may see; null = more than `MAX_FEW_ENVIRONMENTS`. */
export async function listVisibleEnvironmentsIfFew(tx: EntityManager, caller: Principal): Promise<string[] | null> {
  const found = await rows(
    tx,
    sql<{ id: string }>`select e.id from environments e
      where e.tenant_id = ${caller.tenantId} and ${isEnvironmentVisibleSql(sql.raw('e'), caller)} limit ${MAX_FEW_ENVIRONMENTS + 1}`,
  );
  return found.length > MAX_FEW_ENVIRONMENTS ? null : found.map(({ id }) => id);
}

interface ClosedEnvironment {
  id: string;
  name: string;
  visible: boolean;
}

export const listEnvironmentsClosedTo = (tx: EntityManager, caller: Principal): Promise<ClosedEnvironment[]> =>
  rows(
    tx,
    sql<ClosedEnvironment>`
      select x.environment_id as id, x.name, ${isEnvironmentVisibleSql(sql.raw('e'), caller)} as visible
        from (select tenant_id, id as environment_id, name from environments where tenant_id = ${caller.tenantId}) x
        join environments e on e.tenant_id = x.tenant_id and e.id = x.environment_id
        where not (${isWithinLimitsSql('environmentIds', sql`x.environment_id`, caller)} and ${mayRunSql(sql.raw('x'), caller)})
        order by lower(x.name)`,
  );

export interface VisibleEnvironment {
  id: string;
  name: string;
  access: EnvironmentAccess;
  protected: boolean;
  runWindows: RunWindows | null;
}

const VISIBLE_COLUMNS_SQL = sql`e.id, e.name, e.access, e.protected, e.run_windows as "runWindows"`;

/** Returns the environment if the caller may see it. */
export async function findVisibleEnvironment(
  tx: EntityManager,
  caller: Principal,
  id: string,
): Promise<VisibleEnvironment | undefined> {
  if (!isId(id)) return undefined;
  return row(
    tx,
    sql<VisibleEnvironment>`select ${VISIBLE_COLUMNS_SQL} from environments e
      where e.tenant_id = ${caller.tenantId} and e.id = ${id} and ${isEnvironmentVisibleSql(sql.raw('e'), caller)}`,
  );
}

/** Returns the environments that the caller may see, by name. */
export const listVisibleEnvironments = (
  tx: EntityManager,
  caller: Principal,
  limit: number,
): Promise<VisibleEnvironment[]> =>
  rows(
    tx,
    sql<VisibleEnvironment>`select ${VISIBLE_COLUMNS_SQL} from environments e
      where e.tenant_id = ${caller.tenantId} and ${isEnvironmentVisibleSql(sql.raw('e'), caller)}
      order by lower(e.name) limit ${limit}`,
  );
