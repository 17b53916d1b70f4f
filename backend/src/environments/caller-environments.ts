import type { EntityManager } from 'typeorm';
import type { GrantLevel } from '../common/access/grant-level.js';
import type { Principal } from '../common/access/principal.js';
import { isId } from '../common/ids.js';
import { callerMayRun } from './environments.sql.js';
import { environmentIsVisible, isInScopeList } from './visible-environment.js';

const CALLER = { role: '$2::text', user: '$3', limits: '$4' };

export async function seesEnvironment(tx: EntityManager, caller: Principal, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  const rows = await tx.query<unknown[]>(
    `select 1 from environments e where e.tenant_id = $1 and e.id = $2
      and ${environmentIsVisible('e', { role: '$3', user: '$4', limits: '$5' })}`,
    [caller.tenantId, id, caller.role, caller.userId, caller.limits],
  );
  return rows.length > 0;
}

export async function environmentsAmong(
  tx: EntityManager,
  caller: Principal,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `select e.id from environments e where e.tenant_id = $1 and e.id = any ($2::uuid[])
      and ${environmentIsVisible('e', { role: '$3', user: '$4', limits: '$5' })}`,
    [caller.tenantId, ids, caller.role, caller.userId, caller.limits],
  );
  return rows.map(({ id }) => id);
}

interface NamedGrant {
  environmentId: string;
  environmentName: string;
  level: GrantLevel;
}

export const ownNamedGrants = (tx: EntityManager, caller: Principal, limit: number): Promise<NamedGrant[]> =>
  tx.query(
    `select g.environment_id as "environmentId", e.name as "environmentName", g.level
      from environment_grants g join environments e on e.tenant_id = g.tenant_id and e.id = g.environment_id
      where g.tenant_id = $1 and g.user_id = $2 and ${isInScopeList('environmentIds', 'e.id', '$4')} order by lower(e.name) limit $3`,
    [caller.tenantId, caller.userId, limit, caller.limits],
  );

/** Up to this number of visible environments, a list query searches each environment separately. */
const FEW = 64;

/** Returns the IDs of the environments that the caller may see; null = more than `FEW`. */
export async function fewVisibleEnvironments(tx: EntityManager, caller: Principal): Promise<string[] | null> {
  const rows = await tx.query<{ id: string }[]>(
    `select e.id from environments e where e.tenant_id = $1 and ${environmentIsVisible('e', { role: '$2', user: '$3', limits: '$4' })} limit ${FEW + 1}`,
    [caller.tenantId, caller.role, caller.userId, caller.limits],
  );
  return rows.length > FEW ? null : rows.map(({ id }) => id);
}

interface ClosedEnvironment {
  id: string;
  name: string;
  visible: boolean;
}

export const environmentsClosedTo = (tx: EntityManager, caller: Principal): Promise<ClosedEnvironment[]> =>
  tx.query(
    `select x.environment_id as id, x.name, ${environmentIsVisible('e', CALLER)} as visible
      from (select tenant_id, id as environment_id, name from environments where tenant_id = $1) x
      join environments e on e.tenant_id = x.tenant_id and e.id = x.environment_id
      where not (${isInScopeList('environmentIds', 'x.environment_id', CALLER.limits)} and ${callerMayRun('x', CALLER)})
      order by lower(x.name)`,
    [caller.tenantId, caller.role, caller.userId, caller.limits],
  );
