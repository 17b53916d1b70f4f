import { rows, sql } from '../../common/database/sql.js';
import type { FindLibraryUsers, LibraryUser } from '../../library/library-use.js';
import type { EnvironmentReferrer, ListEnvironmentReferrers } from '../../environments/environment-use.js';
import type { CollectionUsage } from '../../collections/collection-use.js';
import type { GitSourceUse } from '../../git-sources/git-source-use.js';
import { isPlanVisibleSql } from './visible-plan.js';

export const listPlansOfEnvironment: ListEnvironmentReferrers = (tx, tenantId, environmentId) =>
  rows(
    tx,
    sql<EnvironmentReferrer>`select 'plan' as type, id, name from plans
      where tenant_id = ${tenantId} and environment_id = ${environmentId} order by name limit 20`,
  );

export const countPlansOfCollections: CollectionUsage['planCounts'] = async (tx, caller, ids) => {
  const counts = await rows(
    tx,
    // The condition excludes null; the cast tells the checker so.
    sql<{ id: string; count: number }>`select collection_id::text as id, count(*)::int as count from plans p
      where p.tenant_id = ${caller.tenantId} and p.collection_id = any(${ids}) and ${isPlanVisibleSql(sql.raw('p'), caller)}
      group by collection_id`,
  );
  return new Map(counts.map(({ id, count }) => [id, count]));
};

export const listPlansUsing: FindLibraryUsers = (tx, caller, stepField, id, limit) =>
  rows(
    tx,
    sql<LibraryUser>`select id, name, visible, count(*) filter (where not visible) over ()::int as hidden from (
        select p.id, p.name, ${isPlanVisibleSql(sql.raw('p'), caller)} as visible from plans p
          join plan_revisions r on r.tenant_id = p.tenant_id and r.plan_id = p.id and r.number = p.revision
          where p.tenant_id = ${caller.tenantId}
            and r.content @> jsonb_build_object('steps', jsonb_build_array(jsonb_build_object(${stepField}::text, ${id}::text)))
      ) found order by visible desc, lower(name) limit ${limit}`,
  );

export const listPlansFromGit: GitSourceUse = async (tx, caller, gitSourceId, limit) => {
  const found = await listPlansUsing(tx, caller, 'gitSourceId', gitSourceId, limit);
  return found.map(({ id, name, visible }) => ({ type: 'plan', id, name, visible }));
};
