import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql, type Sql } from '../../common/database/sql.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import type { SettingChanges } from './weakening.js';

/**
 * - `open`: waits for a second person, or for its delay
 * - `applied`, `rejected`, `withdrawn`, `expired`: closed
 */
export const CHANGE_STATES = ['open', 'applied', 'rejected', 'withdrawn', 'expired'] as const;
export type ChangeState = (typeof CHANGE_STATES)[number];

export interface ProtectionChangeRow {
  id: string;
  environment_id: string;
  environment_name: string;
  state: ChangeState;
  settings: SettingChanges;
  reason: string;
  is_override: boolean;
  requested_by: string;
  requested_by_name: string;
  requested_at: Date;
  effective_at: Date | null;
  expires_at: Date;
  decided_by: string | null;
  decided_by_name: string | null;
  decided_at: Date | null;
  comment: string | null;
  due: boolean;
}

export const CHANGE_OPEN_DAYS = 7;
export const OVERRIDE_DISPLAY_DAYS = 7;

/** SQL columns of `protection_changes c`, including the current state. */
export const CHANGE_COLUMNS = sql`id, environment_id,
  (select name from environments named where named.tenant_id = c.tenant_id and named.id = c.environment_id) as environment_name, settings, reason, is_override, requested_by, requested_by_name,
  requested_at, effective_at, expires_at, decided_by, decided_by_name, decided_at, comment,
  case when state = 'open' and expires_at <= now() then 'expired' else state end as state,
  coalesce(effective_at <= now(), false) as due`;

export const listChanges = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  order: ListOrder,
  limit: number,
): Promise<(ProtectionChangeRow & { sort_key: string | null })[]> => {
  const ofEnvironment = sql`c.tenant_id = ${tenantId} and c.environment_id = ${environmentId}`;
  return rows(
    tx,
    sql<ProtectionChangeRow & { sort_key: string | null }>`
      select ${CHANGE_COLUMNS}, ${order.key} as sort_key from protection_changes c
        where ${sql.all([ofEnvironment, ...order.afterCursorSql()])} order by ${order.orderBy} limit ${limit}`,
  );
};

export const lockChange = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  id: string,
): Promise<ProtectionChangeRow | undefined> =>
  row(
    tx,
    sql<ProtectionChangeRow>`select ${CHANGE_COLUMNS} from protection_changes c
      where tenant_id = ${tenantId} and environment_id = ${environmentId} and id = ${id} for update`,
  );

/** `delaySeconds`: null = a second person must agree. */
export interface NewChange {
  id: string;
  tenantId: string;
  environmentId: string;
  state: ChangeState;
  settings: SettingChanges;
  reason: string;
  isOverride: boolean;
  requestedBy: string;
  requestedByName: string;
  delaySeconds: number | null;
}

/**
 * Stores a change. Closes an expired one first, which would conflict. @throws unique violation if another change is
 * open
 */
export async function insertChange(tx: EntityManager, change: NewChange): Promise<void> {
  const { tenantId, environmentId, isOverride, requestedBy, requestedByName } = change;
  await affected(
    tx,
    sql`update protection_changes set state = 'expired'
      where tenant_id = ${tenantId} and environment_id = ${environmentId} and state = 'open' and expires_at <= now()`,
  );
  await affected(
    tx,
    sql`insert into protection_changes (id, tenant_id, environment_id, state, settings, reason, is_override, requested_by,
        requested_by_name, effective_at, expires_at, decided_by, decided_by_name, decided_at)
      select ${change.id}, ${tenantId}, ${environmentId}, ${change.state}, ${JSON.stringify(change.settings)}::jsonb,
          ${change.reason}, ${isOverride}, ${requestedBy}, ${requestedByName}, at,
          greatest(now(), at) + make_interval(days => ${CHANGE_OPEN_DAYS}),
          case when ${isOverride} then ${requestedBy}::uuid end, case when ${isOverride} then ${requestedByName}::text end,
          case when ${isOverride} then now() end
        from (select now() + make_interval(secs => ${change.delaySeconds}) as at) delay`,
  );
}

export const decideChange = (
  tx: EntityManager,
  tenantId: string,
  id: string,
  decision: { state: ChangeState; by: string; byName: string; comment: string | null },
): Promise<unknown> =>
  affected(
    tx,
    sql`update protection_changes set state = ${decision.state}, decided_by = ${decision.by},
        decided_by_name = ${decision.byName}, decided_at = now(), comment = ${decision.comment}
      where tenant_id = ${tenantId} and id = ${id}`,
  );

export interface OverrideRow {
  at: Date;
  by: string;
  by_name: string;
  reason: string;
  settings: SettingChanges;
}

/**
 * Latest override that was displayed at some time between `from` and `until`.
 * @param from null = now
 * @param until null = now
 */
export async function findLastOverride(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  { from, until }: { from: Date | null; until: Date | null },
): Promise<OverrideRow | null> {
  const found = await row(
    tx,
    sql<OverrideRow>`select requested_at as at, requested_by as by, requested_by_name as by_name, reason, settings
      from protection_changes where tenant_id = ${tenantId} and environment_id = ${environmentId} and is_override
        and requested_at > coalesce(${from}::timestamptz, now()) - make_interval(days => ${OVERRIDE_DISPLAY_DAYS})
        and requested_at <= coalesce(${until}::timestamptz, now())
      order by id desc limit 1`,
  );
  return found ?? null;
}

/**
 * Condition on a row of runs: its environment was overridden before the run ended, but at most seven days before the
 * run was accepted.
 */
export const hadOverrideSql = (run: Sql): Sql =>
  sql`exists (select from protection_changes override where override.tenant_id = ${run}.tenant_id
    and override.environment_id = ${run}.environment_id and override.is_override
    and override.requested_at > ${run}.created_at - make_interval(days => ${OVERRIDE_DISPLAY_DAYS})
    and override.requested_at <= coalesce(${run}.finished_at, now()))`;
