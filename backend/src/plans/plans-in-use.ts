import type { LibraryUse } from '../common/library/library-use.js';
import type { ReferrersOf } from '../environments/environment-use.js';
import type { CollectionUse } from '../collections/collection-use.js';
import type { GitSourceUse } from '../git-sources/git-source-use.js';
import { planIsVisible } from './visible-plan.js';

export const plansOfEnvironment: ReferrersOf = (tx, tenantId, environmentId) =>
  tx.query(
    `select 'plan' as type, id, name from plans where tenant_id = $1 and environment_id = $2 order by name limit 20`,
    [tenantId, environmentId],
  );

export const planCounts: CollectionUse['planCounts'] = async (tx, caller, ids) => {
  const rows = await tx.query<{ id: string; count: number }[]>(
    `select collection_id as id, count(*)::int as count from plans p
      where p.tenant_id = $1 and p.collection_id = any($2) and ${planIsVisible('p', { role: '$3', user: '$4', limits: '$5' })}
      group by collection_id`,
    [caller.tenantId, ids, caller.role, caller.userId, caller.limits],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
};

export const plansUsing: LibraryUse = (tx, caller, stepField, id, limit) =>
  tx.query(
    `select id, name, visible, count(*) filter (where not visible) over ()::int as hidden from (
        select p.id, p.name, ${planIsVisible('p', { role: '$5', user: '$6', limits: '$7' })} as visible from plans p
          join plan_revisions r on r.tenant_id = p.tenant_id and r.plan_id = p.id and r.number = p.revision
          where p.tenant_id = $1 and r.content @> jsonb_build_object('steps', jsonb_build_array(jsonb_build_object($2::text, $3::text)))
      ) found order by visible desc, lower(name) limit $4`,
    [caller.tenantId, stepField, id, limit, caller.role, caller.userId, caller.limits],
  );

export const plansFromGit: GitSourceUse = async (tx, caller, gitSourceId, limit) => {
  const found = await plansUsing(tx, caller, 'gitSourceId', gitSourceId, limit);
  return found.map(({ id, name, visible }) => ({ type: 'plan', id, name, visible }));
};
