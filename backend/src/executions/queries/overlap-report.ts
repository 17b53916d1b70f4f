import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, type OverlapConflict, type Problem } from '../../common/errors/problem.js';
import { listHostGuardKeys } from '../lifecycle/overlap.js';
import { type ExecutionStatus, isFinished } from '../lifecycle/statuses.js';
import { isRunVisibleToSql } from './visible-run.js';

const MAX_NAMED_RUNS = 20;

/**
 * Condition that preselects addresses whose form may differ from the guard key (`canonicalAddress`). It matches all
 * of these addresses, and few others.
 */
const MAY_BE_NOT_CANONICAL_SQL = sql`(h.hostname ~* ':|[.]$|(^|[.])(0x[0-9a-f]*|[0-9]+)$'
    and h.hostname !~ '^(0|[1-9][0-9]{0,2})([.](0|[1-9][0-9]{0,2})){3}$')`;

interface HolderRow {
  id: string;
  plan_name: string;
  environment_name: string;
  started_by: string;
  started_by_name: string;
  status: ExecutionStatus;
  /** Whether the run only waits for keys and holds none of them. */
  waits: boolean;
  since: Date;
  keys: string[];
  hosts: { name: string; hostname: string; port: number }[] | null;
  visible: boolean;
}

/**
 * Explains why the guard refused a start or queued a run. Reports the conflicting runs with their keys, starter and
 * start time. Only counts runs that the caller cannot see.
 */
@Injectable()
export class OverlapReport {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  async findHolders(
    tx: EntityManager,
    caller: Principal,
    keys: readonly string[],
  ): Promise<{ conflicts: OverlapConflict[]; hiddenConflicts: number }> {
    const holders = await this.loadHolderRows(tx, caller, keys);
    const visible = holders.filter((row) => row.visible);
    return {
      conflicts: visible.slice(0, MAX_NAMED_RUNS).map(toConflict),
      hiddenConflicts: holders.length - visible.length,
    };
  }

  /**
   * Returns the refusal and records it in the audit trail. Null: no run holds the keys any more, and `last` is false.
   * @param keys guard keys that the start needs
   */
  createOverlapProblem(caller: Principal, planId: string, keys: string[], last: boolean): Promise<Problem | null> {
    return this.units.run(caller.tenantId, async (tx) => {
      const holders = await this.loadHolderRows(tx, caller, keys);
      if (holders.length === 0 && !last) return null;
      const visible = holders.filter((row) => row.visible).map(toConflict);
      const hiddenConflicts = holders.length - visible.length;
      await this.audit.record(tx, caller, {
        action: 'execution.refuse',
        resourceId: planId,
        // Names all runs, because only admins can read the audit trail and they can see every run.
        after: {
          code: 'run_overlap',
          conflicts: holders.slice(0, MAX_NAMED_RUNS).map(toConflict),
          total: holders.length,
        },
      });
      return conflict('run_overlap', describeConflicts(visible, hiddenConflicts), {
        conflicts: visible.slice(0, MAX_NAMED_RUNS),
        hiddenConflicts,
      });
    });
  }

  /**
   * Returns the conflicts of a queued run: runs that hold its keys, and runs ahead of it in the queue that need the
   * same keys.
   */
  async findBlockers(
    tx: EntityManager,
    caller: Principal,
    id: string,
  ): Promise<{ blockers: OverlapConflict[]; hiddenBlockers: number }> {
    const conflicts = await rows(tx, selectConflictsSql(selectBlockingRunsSql(caller.tenantId, id), caller));
    const blockers = conflicts.filter((row) => row.visible).slice(0, MAX_NAMED_RUNS);
    return { blockers: blockers.map(toConflict), hiddenBlockers: conflicts.length - blockers.length };
  }

  private loadHolderRows(tx: EntityManager, caller: Principal, keys: readonly string[]): Promise<HolderRow[]> {
    return rows(tx, selectConflictsSql(selectHoldersAndWaitersSql(caller.tenantId, keys), caller));
  }
}

const selectHoldersAndWaitersSql = (tenantId: string, keys: readonly string[]): Sql => sql`
  select g.execution_id, g.key, g.since, false as waits from guard_keys g
    where g.tenant_id = ${tenantId} and g.key = any (${keys})
  union all
  select w.execution_id, w.key, q.since, true from guard_waits w
    join guard_queue q on q.tenant_id = ${tenantId} and q.execution_id = w.execution_id
    where w.tenant_id = ${tenantId} and w.key = any (${keys}) and q.arrival is not null`;

/** Conflicts of the run. Limits the keys per conflict, because clients poll this while the run waits. */
const selectBlockingRunsSql = (tenantId: string, id: string): Sql => sql`
  select held.execution_id, held.key, held.since, false as waits from (
      select g.execution_id, g.key, g.since, row_number() over (partition by g.execution_id order by g.key) as n
        from guard_waits w join guard_keys g on g.tenant_id = ${tenantId} and g.key = w.key
        where w.tenant_id = ${tenantId} and w.execution_id = ${id}) held
    where held.n <= ${MAX_NAMED_RUNS}
  union all
  select q.execution_id, shared.key, q.since, true from guard_queue mine
    join guard_queue q on q.tenant_id = ${tenantId} and q.arrival < mine.arrival,
    lateral (select o.key from guard_waits o join guard_waits w
        on w.tenant_id = ${tenantId} and w.key = o.key and w.execution_id = ${id}
      where o.tenant_id = ${tenantId} and o.execution_id = q.execution_id limit ${MAX_NAMED_RUNS}) shared
    where mine.tenant_id = ${tenantId} and mine.execution_id = ${id}`;

/** Details of the conflicting runs, and whether the caller can see them. Runs that hold a key come first. */
const selectConflictsSql = (found: Sql, caller: Principal): Sql<HolderRow> => sql<HolderRow>`
  with found as (${found}) select e.id, e.plan_name, e.environment_name, e.started_by, e.started_by_name, e.status, min(f.since) as since,
    array_agg(f.key order by f.key) as keys, bool_and(f.waits) as waits,
    (select jsonb_agg(jsonb_build_object('name', h.name, 'hostname', h.hostname, 'port', h.port) order by h.name)
      from execution_hosts h where h.execution_id = e.id
        and ('host:' || lower(h.hostname) || ':' || h.port = any (array_agg(f.key)) or ${MAY_BE_NOT_CANONICAL_SQL})) as hosts,
    ${isRunVisibleToSql(sql.raw('e'), caller)} as visible
  from found f join executions e on e.tenant_id = ${caller.tenantId} and e.id = f.execution_id
  group by e.id order by bool_and(f.waits), e.id`;

function listSharedHosts({ hosts, keys }: HolderRow): string[] {
  const shared = new Set(keys);
  return (hosts ?? []).filter((host) => listHostGuardKeys(host).some((key) => shared.has(key))).map(({ name }) => name);
}

function describeKey(key: string, row: HolderRow): string {
  if (key.startsWith('plan:')) return `plan ${row.plan_name} in ${row.environment_name}`;
  return key.startsWith('lock:') ? `lock ${key.slice('lock:'.length)}` : `host ${key.slice('host:'.length)}`;
}

const toConflict = (row: HolderRow): OverlapConflict => ({
  executionId: row.id,
  planName: row.plan_name,
  startedBy: { id: row.started_by, name: row.started_by_name },
  since: row.since.toISOString(),
  sharedHosts: listSharedHosts(row),
  sharedKeys: row.keys.map((key) => describeKey(key, row)),
  ...(isFinished(row.status) ? { unknownResults: true } : {}),
  ...(row.waits ? { waits: true } : {}),
});

function describeConflicts([first, ...more]: OverlapConflict[], hidden: number): string {
  if (!first && hidden === 0) return 'Other runs conflicted at each attempt. Try again.';
  const hiddenText =
    hidden > 0 ? `${hidden} run(s) that you may not see ${first ? 'overlap too' : 'overlap with this one'}.` : '';
  if (!first) return `${hiddenText} Wait for them to finish, or ask an admin.`;
  const verb = first.waits ? 'waits for' : 'holds';
  const shared =
    first.sharedHosts.length > 0 ? ` ${verb} ${first.sharedHosts.slice(0, 5).join(', ')}` : describeSharedKeys(first);
  const others = [more.length > 0 ? `${more.length} more run(s) overlap too.` : '', hiddenText].filter(
    (text) => text !== '',
  );
  return [
    `The run of "${first.planName}" that ${first.startedBy?.name} started${shared}.`,
    ...others,
    first.unknownResults
      ? 'It has ended, but the result of its command there is unknown. Check the host and resolve the result.'
      : first.waits
        ? 'It is ahead in the queue. Send onOverlap: queue to wait behind it, or cancel it.'
        : 'Wait for it to finish or cancel it.',
  ].join(' ');
}

function describeSharedKeys({ sharedKeys, waits }: OverlapConflict): string {
  const locks = sharedKeys.filter((key) => key.startsWith('lock '));
  if (locks.length > 0) return ` ${waits ? 'waits for' : 'holds'} the ${locks.join(', ')}`;
  return waits ? ' waits to run the same plan there' : ' runs the same plan there';
}
