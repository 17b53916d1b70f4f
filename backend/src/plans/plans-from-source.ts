import type { EntityManager } from 'typeorm';

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
export const plansFromSource = (
  tx: EntityManager,
  tenantId: string,
  { gitSourceId, scriptIds, templateIds }: SourceContent,
): Promise<{ id: string; environmentId: string | null }[]> =>
  tx.query(
    `with recursive used (field, id) as (
        select 'gitSourceId', $2::text
        union all select 'scriptId', unnest($3::text[])
        union all select 'templateId', unnest($4::text[])
      ), found (id) as (
        select p.id from plans p where p.tenant_id = $1 and p.git_source_id = $2::uuid
        union
        select p.id from used u join plan_revisions r on r.tenant_id = $1
            and r.content @> jsonb_build_object('steps', jsonb_build_array(jsonb_build_object(u.field, u.id)))
          join plans p on p.tenant_id = r.tenant_id and p.id = r.plan_id and p.revision = r.number
        union
        select p.id from found f join plan_revisions r on r.tenant_id = $1
            and r.content @> jsonb_build_object('steps', jsonb_build_array(jsonb_build_object('planId', f.id::text)))
          join plans p on p.tenant_id = r.tenant_id and p.id = r.plan_id and p.revision = r.number
      ) select p.id, p.environment_id as "environmentId" from found join plans p on p.tenant_id = $1 and p.id = found.id`,
    [tenantId, gitSourceId, scriptIds, templateIds],
  );
