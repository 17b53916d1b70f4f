import type { EntityManager } from 'typeorm';
import { allOf, StatementValues } from '../../common/database/statement-values.js';
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

export const OPEN_DAYS = 7;
export const OVERRIDE_DISPLAY_DAYS = 7;

/** SQL columns of `protection_changes c`, including the current state. */
export const CHANGE_COLUMNS = `id, environment_id,
  (select name from environments named where named.tenant_id = c.tenant_id and named.id = c.environment_id) as environment_name, settings, reason, is_override, requested_by, requested_by_name,
  requested_at, effective_at, expires_at, decided_by, decided_by_name, decided_at, comment,
  case when state = 'open' and expires_at <= now() then 'expired' else state end as state,
  coalesce(effective_at <= now(), false) as due`;

export const changesOf = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  order: ListOrder,
  limit: number,
): Promise<(ProtectionChangeRow & { sort_key: string | null })[]> => {
  const values = new StatementValues(tenantId, environmentId);
  const conditions = ['c.tenant_id = $1 and c.environment_id = $2', ...order.afterCursor(values)];
  return tx.query(
    `select ${CHANGE_COLUMNS}, ${order.key} as sort_key from protection_changes c
      where ${allOf(conditions)} order by ${order.orderBy} limit ${values.of(limit)}`,
    values.list,
  );
};

export async function lockedChange(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  id: string,
): Promise<ProtectionChangeRow | undefined> {
  const [row] = await tx.query<ProtectionChangeRow[]>(
    `select ${CHANGE_COLUMNS} from protection_changes c where tenant_id = $1 and environment_id = $2 and id = $3 for update`,
    [tenantId, environmentId, id],
  );
  return row;
}

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
  await tx.query(
    `update protection_changes set state = 'expired'
      where tenant_id = $1 and environment_id = $2 and state = 'open' and expires_at <= now()`,
    [change.tenantId, change.environmentId],
  );
  await tx.query(
    `insert into protection_changes (id, tenant_id, environment_id, state, settings, reason, is_override, requested_by,
        requested_by_name, effective_at, expires_at, decided_by, decided_by_name, decided_at)
      select $1, $2, $3, $4, $5, $6, $7, $8, $9, at, greatest(now(), at) + make_interval(days => $11),
          case when $7 then $8::uuid end, case when $7 then $9 end, case when $7 then now() end
        from (select now() + make_interval(secs => $10) as at) delay`,
    [
      ...[change.id, change.tenantId, change.environmentId, change.state, change.settings, change.reason],
      ...[change.isOverride, change.requestedBy, change.requestedByName, change.delaySeconds, OPEN_DAYS],
    ],
  );
}

export const decideChange = (
  tx: EntityManager,
  tenantId: string,
  id: string,
  decision: { state: ChangeState; by: string; byName: string; comment: string | null },
): Promise<unknown> =>
  tx.query(
    `update protection_changes set state = $3, decided_by = $4, decided_by_name = $5, decided_at = now(), comment = $6
      where tenant_id = $1 and id = $2`,
    [tenantId, id, decision.state, decision.by, decision.byName, decision.comment],
  );

export interface OverrideRow {
  at: Date;
  by_name: string;
  reason: string;
  settings: SettingChanges;
}

/**
 * Latest override that was displayed at some time between `from` and `until`.
 * @param from null = now
 * @param until null = now
 */
export async function lastOverride(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  { from, until }: { from: Date | null; until: Date | null },
): Promise<OverrideRow | null> {
  const [row] = await tx.query<OverrideRow[]>(
    `select requested_at as at, requested_by_name as by_name, reason, settings
      from protection_changes where tenant_id = $1 and environment_id = $2 and is_override
        and requested_at > coalesce($3::timestamptz, now()) - make_interval(days => $5) and requested_at <= coalesce($4::timestamptz, now())
      order by id desc limit 1`,
    [tenantId, environmentId, from, until, OVERRIDE_DISPLAY_DAYS],
  );
  return row ?? null;
}

/**
 * SQL condition on a row of runs: its environment was overridden before the run ended, but at most seven days before
 * the run was accepted.
 */
export const wasOverridden = (run: string): string =>
  `exists (select 1 from protection_changes override where override.tenant_id = ${run}.tenant_id
    and override.environment_id = ${run}.environment_id and override.is_override
    and override.requested_at > ${run}.created_at - make_interval(days => ${OVERRIDE_DISPLAY_DAYS})
    and override.requested_at <= coalesce(${run}.finished_at, now()))`;
