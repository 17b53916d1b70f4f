import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { toUserReference, type UserReference } from '../../common/http/user-reference.view.js';
import type { Principal } from '../../common/access/principal.js';
import { newId } from '../../common/ids.js';
import { hasLimit, KEEP_ALL, type RetentionRule } from './retention-rule.js';

export interface RuleRow extends RetentionRule {
  environmentId: string | null;
  updatedAt: Date;
  updatedBy: UserReference | null;
}

export async function loadRules(tx: EntityManager, tenantId: string): Promise<RuleRow[]> {
  const rules = await rows(
    tx,
    sql<Omit<RuleRow, 'keepBytes' | 'updatedBy'> & { keepBytes: string | null; byId: string | null; byName: string }>`
      select environment_id as "environmentId", keep_days as "keepDays", keep_runs as "keepRuns", keep_bytes as "keepBytes",
          updated_at as "updatedAt", updated_by as "byId", updated_by_name as "byName" from retention_rules where tenant_id = ${tenantId}`,
  );
  return rules.map(({ byId, byName, ...rule }) => ({
    ...rule,
    keepBytes: rule.keepBytes === null ? null : Number(rule.keepBytes),
    updatedBy: toUserReference(byId, byName),
  }));
}

/** Returns the rule for an environment: its own, else the default rule, else a rule that keeps all runs. */
export function findRule(rules: readonly RuleRow[], environmentId: string): RetentionRule {
  const own = rules.find((rule) => rule.environmentId === environmentId);
  return own ?? rules.find((rule) => rule.environmentId === null) ?? KEEP_ALL;
}

export async function storeRule(
  tx: EntityManager,
  tenantId: string,
  environmentId: string | null,
  rule: RetentionRule,
  by: Pick<Principal, 'userId' | 'name'>,
): Promise<void> {
  await affected(
    tx,
    sql`insert into retention_rules (id, tenant_id, environment_id, keep_days, keep_runs, keep_bytes, updated_by,
          updated_by_name)
        values (${newId()}, ${tenantId}, ${environmentId}, ${rule.keepDays}, ${rule.keepRuns}, ${rule.keepBytes}, ${by.userId},
          ${by.name})
      on conflict (tenant_id, environment_id) do update set keep_days = excluded.keep_days, keep_runs = excluded.keep_runs,
        keep_bytes = excluded.keep_bytes, updated_at = now(), updated_by = excluded.updated_by, updated_by_name = excluded.updated_by_name`,
  );
  // The first pass starts a day later, which leaves time for corrections.
  if (hasLimit(rule))
    await affected(
      tx,
      sql`insert into retention_passes (tenant_id, due_at) values (${tenantId}, now() + interval '1 day')
        on conflict (tenant_id) do update set due_at = least(retention_passes.due_at, excluded.due_at)`,
    );
}

export async function deleteRule(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean> {
  const count = await affected(
    tx,
    sql`delete from retention_rules where tenant_id = ${tenantId} and environment_id = ${environmentId}`,
  );
  return count > 0;
}

export interface PassRow {
  due_at: Date;
  requested_by_name: string | null;
  begun_at: Date | null;
  runs: string;
  bytes: string;
  last_ended_at: Date | null;
  last_runs: string | null;
  last_bytes: string | null;
}

export async function findPass(tx: EntityManager, tenantId: string): Promise<PassRow | null> {
  const pass = await row(
    tx,
    // Without rules, the tenant keeps a pass with due time `infinity`, which is never due.
    sql<PassRow>`select due_at, requested_by_name, begun_at, runs, bytes, last_ended_at, last_runs, last_bytes
      from retention_passes where tenant_id = ${tenantId} and (due_at < 'infinity' or last_ended_at is not null)`,
  );
  return pass ?? null;
}

export async function requestPass(tx: EntityManager, tenantId: string, byName: string): Promise<void> {
  await affected(
    tx,
    sql`insert into retention_passes (tenant_id, due_at, requested_by_name) values (${tenantId}, now(), ${byName})
      on conflict (tenant_id) do update set due_at = least(retention_passes.due_at, now()),
        requested_by_name = excluded.requested_by_name`,
  );
}

const LEASE_SECONDS = 120;

/** Claims the tenant's pass if it is due and no other worker holds it. */
export async function claimPass(tx: EntityManager, tenantId: string): Promise<boolean> {
  const count = await affected(
    tx,
    sql`update retention_passes set begun_at = coalesce(begun_at, now()),
        lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
      where tenant_id = ${tenantId} and due_at <= now() and (lease_until is null or lease_until < now())`,
  );
  return count > 0;
}

/** Renews the lease and adds to the counts of the pass, which survive a change of worker. */
export async function addRemovedCounts(
  tx: EntityManager,
  tenantId: string,
  { runs, bytes }: { runs: number; bytes: number },
): Promise<void> {
  await affected(
    tx,
    sql`update retention_passes set runs = runs + ${runs}, bytes = bytes + ${bytes},
        lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
      where tenant_id = ${tenantId}`,
  );
}

export async function releasePass(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(tx, sql`update retention_passes set lease_until = null where tenant_id = ${tenantId}`);
}

/**
 * Ends the pass and returns its counts; null = another worker has ended it.
 * @param again whether to schedule the next pass, a day later
 */
export async function endPass(
  tx: EntityManager,
  tenantId: string,
  again: boolean,
): Promise<{ runs: number; bytes: number; requestedBy: string | null } | null> {
  const before = await row(
    tx,
    sql<{ runs: string; bytes: string; requested_by_name: string | null }>`
      select runs, bytes, requested_by_name from retention_passes
        where tenant_id = ${tenantId} and begun_at is not null for update`,
  );
  if (!before) return null;
  await affected(
    tx,
    sql`update retention_passes set due_at = case when ${again}::boolean then now() + interval '1 day' else 'infinity' end,
        begun_at = null, lease_until = null, requested_by_name = null, runs = 0, bytes = 0, last_ended_at = now(),
        last_runs = runs, last_bytes = bytes
      where tenant_id = ${tenantId}`,
  );
  return { runs: Number(before.runs), bytes: Number(before.bytes), requestedBy: before.requested_by_name };
}
