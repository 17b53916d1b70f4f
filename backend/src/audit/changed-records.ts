import type { EntityManager } from 'typeorm';
import { rows, sql } from '../common/database/sql.js';
import type { AuditActionName } from './audit-actions.js';

export interface ChangeRule {
  kind: string;
  actions: readonly AuditActionName[];
  /** An entry counts if one of these fields differs between before and after; null: every entry counts. */
  fields: readonly string[] | null;
  resourceIds: readonly string[];
  /** Field with the ID of the used record. For entries with these actions, only this field is compared. */
  of?: { field: string; ids: readonly string[]; actions: readonly AuditActionName[] };
}

export interface RecordChanges {
  kind: string;
  userId: string;
  name: string;
  records: number;
}

export interface CountedPeriod {
  /** Null: all changes count. */
  since: Date | null;
  /** Start times that differ from `since`, by ID of the used record; null: all changes count. */
  others: ReadonlyMap<string, Date | null>;
}

/**
 * Returns the users who changed the records after the specified times.
 * @param excludedIds keys of variables that do not count
 */
export const findRecordChanges = (
  tx: EntityManager,
  tenantId: string,
  rules: readonly ChangeRule[],
  { since, others }: CountedPeriod,
  excludedIds: readonly string[],
): Promise<RecordChanges[]> =>
  rows(
    tx,
    sql<RecordChanges>`
      with rules as (
        select * from jsonb_to_recordset(${JSON.stringify(rules)}::jsonb) as r (kind text, actions text[],
          fields text[], "resourceIds" uuid[], "of" jsonb)
      ), found as (
        select r.kind, r.fields, r."of"->>'field' as owner, e.* from rules r
          join audit_entries e on e.tenant_id = ${tenantId} and e.resource_id = any (r."resourceIds") and e.action = any (r.actions)
        union all
        select r.kind, r.fields, r."of"->>'field', e.* from rules r join audit_entries e on e.tenant_id = ${tenantId}
          and e.action in (select jsonb_array_elements_text(r."of"->'actions'))
          and r."of"->'ids' ? coalesce(e.before->>(r."of"->>'field'), e.after->>(r."of"->>'field'))
          and not (e.resource_id = any (r."resourceIds") and e.action = any (r.actions))
      ), counted as (
        select found.*, other.id is not null as has_own, other.since as own_since from found
          left join unnest(${[...others.keys()]}::text[], ${[...others.values()]}::timestamptz[]) as other (id, since)
            on other.id = coalesce(after->>owner, before->>owner, resource_id::text)
      )
      select kind, actor_id as "userId", (array_agg(coalesce(resource_name, '') order by sequence desc))[1] as name,
          count(distinct resource_id)::int as records
        from counted
        where actor_kind = 'user' and actor_id is not null
          and case when has_own then own_since is null or at > own_since else ${since}::timestamptz is null or at > ${since} end
          and (fields is null or exists (select from unnest(fields) field
            where before->field is distinct from after->field))
          and not (kind like '%_variable' and owner is not null and coalesce(after->>'key', before->>'key', '') = any (${excludedIds}))
        group by kind, actor_id order by kind, name, actor_id`,
  );
