import type { EntityManager } from 'typeorm';
import { newId } from '../../common/ids.js';
import { isLimited, KEEP_ALL, type RetentionRule } from './retention-rule.js';

export interface RuleRow extends RetentionRule {
  environmentId: string | null;
  updatedAt: Date;
  updatedByName: string;
}

export async function rulesOf(tx: EntityManager, tenantId: string): Promise<RuleRow[]> {
  const rows = await tx.query<(Omit<RuleRow, 'keepBytes'> & { keepBytes: string | null })[]>(
    `select environment_id as "environmentId", keep_days as "keepDays", keep_runs as "keepRuns", keep_bytes as "keepBytes",
        updated_at as "updatedAt", updated_by_name as "updatedByName" from retention_rules where tenant_id = $1`,
    [tenantId],
  );
  return rows.map((row) => ({ ...row, keepBytes: row.keepBytes === null ? null : Number(row.keepBytes) }));
}

/** Returns the rule for an environment: its own, else the default rule, else a rule that keeps all runs. */
export function ruleFor(rules: readonly RuleRow[], environmentId: string): RetentionRule {
  const own = rules.find((rule) => rule.environmentId === environmentId);
  return own ?? rules.find((rule) => rule.environmentId === null) ?? KEEP_ALL;
}

export async function storeRule(
  tx: EntityManager,
  tenantId: string,
  environmentId: string | null,
  rule: RetentionRule,
  byName: string,
): Promise<void> {
  await tx.query(
    `insert into retention_rules (id, tenant_id, environment_id, keep_days, keep_runs, keep_bytes, updated_by_name)
        values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (tenant_id, environment_id) do update set keep_days = excluded.keep_days, keep_runs = excluded.keep_runs,
        keep_bytes = excluded.keep_bytes, updated_at = now(), updated_by_name = excluded.updated_by_name`,
    [newId(), tenantId, environmentId, rule.keepDays, rule.keepRuns, rule.keepBytes, byName],
  );
  // The first pass starts a day later, which leaves time for corrections.
  if (isLimited(rule))
    await tx.query(
      `insert into retention_passes (tenant_id, due_at) values ($1, now() + interval '1 day')
        on conflict (tenant_id) do update set due_at = least(retention_passes.due_at, excluded.due_at)`,
      [tenantId],
    );
}

export async function dropRule(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean> {
  const [, count] = await tx.query<[unknown[], number]>(
    'delete from retention_rules where tenant_id = $1 and environment_id = $2',
    [tenantId, environmentId],
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

export async function passOf(tx: EntityManager, tenantId: string): Promise<PassRow | null> {
  const [row] = await tx.query<PassRow[]>(
    // Without rules, the tenant keeps a pass with due time `infinity`, which is never due.
    `select due_at, requested_by_name, begun_at, runs, bytes, last_ended_at, last_runs, last_bytes
      from retention_passes where tenant_id = $1 and (due_at < 'infinity' or last_ended_at is not null)`,
    [tenantId],
  );
  return row ?? null;
}

export async function requestPass(tx: EntityManager, tenantId: string, byName: string): Promise<void> {
  await tx.query(
    `insert into retention_passes (tenant_id, due_at, requested_by_name) values ($1, now(), $2)
      on conflict (tenant_id) do update set due_at = least(retention_passes.due_at, now()), requested_by_name = excluded.requested_by_name`,
    [tenantId, byName],
  );
}

const LEASE_SECONDS = 120;

/** Claims the tenant's pass if it is due and no other worker holds it. */
export async function claimPass(tx: EntityManager, tenantId: string): Promise<boolean> {
  const [, count] = await tx.query<[unknown[], number]>(
    `update retention_passes set begun_at = coalesce(begun_at, now()), lease_until = now() + make_interval(secs => $2)
      where tenant_id = $1 and due_at <= now() and (lease_until is null or lease_until < now())`,
    [tenantId, LEASE_SECONDS],
  );
  return count > 0;
}

/** Renews the lease and adds to the counts of the pass, which survive a change of worker. */
export async function countRemoved(
  tx: EntityManager,
  tenantId: string,
  { runs, bytes }: { runs: number; bytes: number },
): Promise<void> {
  await tx.query(
    `update retention_passes set runs = runs + $2, bytes = bytes + $3, lease_until = now() + make_interval(secs => $4)
      where tenant_id = $1`,
    [tenantId, runs, bytes, LEASE_SECONDS],
  );
}

export async function releasePass(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('update retention_passes set lease_until = null where tenant_id = $1', [tenantId]);
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
  const [before] = await tx.query<{ runs: string; bytes: string; requested_by_name: string | null }[]>(
    'select runs, bytes, requested_by_name from retention_passes where tenant_id = $1 and begun_at is not null for update',
    [tenantId],
  );
  if (!before) return null;
  await tx.query(
    `update retention_passes set due_at = case when $2 then now() + interval '1 day' else 'infinity' end, begun_at = null,
        lease_until = null, requested_by_name = null, runs = 0, bytes = 0, last_ended_at = now(), last_runs = runs, last_bytes = bytes
      where tenant_id = $1`,
    [tenantId, again],
  );
  return { runs: Number(before.runs), bytes: Number(before.bytes), requestedBy: before.requested_by_name };
}
