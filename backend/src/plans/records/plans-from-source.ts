import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../common/database/sql.js';

/** Git source, and the scripts and templates whose content comes from it. */
export interface SourceContent {
  gitSourceId: string;
  scriptIds: readonly string[];
  templateIds: readonly string[];
}

/**
 * Plans whose latest revision depends on a git source: through a file, script, template or called plan, or because the
 * plan itself comes from the source.
 */
export const listPlansFromSource = (
  tx: EntityManager,
  tenantId: string,
  { gitSourceId, scriptIds, templateIds }: SourceContent,
): Promise<{ id: string; environmentId: string | null }[]> =>
  rows(
    tx,
    sql<{ id: string; environmentId: string | null }>`with recursive used (field, id) as (
        select 'gitSourceId', ${gitSourceId}::text
        union all select 'scriptId', unnest(${scriptIds}::text[])
        union all select 'templateId', unnest(${templateIds}::text[])
      ), found (id) as (
        select p.id from plans p where p.tenant_id = ${tenantId} and p.git_source_id = ${gitSourceId}::uuid
        union
        select p.id from used u join plan_revisions r on r.tenant_id = ${tenantId}
            and r.content @> jsonb_build_object('steps', jsonb_build_array(jsonb_build_object(u.field, u.id)))
          join plans p on p.tenant_id = r.tenant_id and p.id = r.plan_id and p.revision = r.number
        union
        select p.id from found f join plan_revisions r on r.tenant_id = ${tenantId}
            and r.content @> jsonb_build_object('steps', jsonb_build_array(jsonb_build_object('planId', f.id::text)))
          join plans p on p.tenant_id = r.tenant_id and p.id = r.plan_id and p.revision = r.number
      ) select p.id, p.environment_id as "environmentId"
          from found join plans p on p.tenant_id = ${tenantId} and p.id = found.id`,
  );
