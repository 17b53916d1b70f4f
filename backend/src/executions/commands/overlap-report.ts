import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, type OverlapConflict, type Problem } from '../../common/errors/problem.js';

/** How many runs a refusal names. */
const NAMED = 20;

interface HolderRow {
  id: string;
  plan_name: string;
  environment_name: string;
  started_by_name: string;
  since: Date;
  keys: string[];
  hosts: string[] | null;
}

/** Explains why the guard refused a start: which run holds what, who started it, since when (design: domain §5). */
@Injectable()
export class OverlapReport {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * The refusal, written to the audit trail; null when nobody holds the keys any more and `last` is not set.
   * @param keys guard keys that the start wanted
   */
  refuse(caller: Principal, planId: string, keys: string[], last: boolean): Promise<Problem | null> {
    return this.units.run(caller.tenantId, async (tx) => {
      const rows = await tx.query<HolderRow[]>(
        `select e.id, e.plan_name, e.environment_name, e.started_by_name, min(g.since) as since, array_agg(g.key order by g.key) as keys,
            (select array_agg(h.name order by h.name) from execution_hosts h
              where h.execution_id = e.id and 'host:' || lower(h.hostname) || ':' || h.port = any (array_agg(g.key))) as hosts
          from guard_keys g join executions e on e.id = g.execution_id
          where g.tenant_id = $1 and g.key = any ($2)
          group by e.id order by e.id limit $3`,
        [caller.tenantId, keys, NAMED],
      );
      if (rows.length === 0 && !last) return null;
      const conflicts = rows.map(toConflict);
      await this.audit.record(tx, caller, {
        action: 'execution.refuse',
        resourceType: 'plan',
        resourceId: planId,
        after: { code: 'run_overlap', conflicts },
      });
      return conflict('run_overlap', detailOf(conflicts), { conflicts, hiddenConflicts: 0 });
    });
  }
}

const toConflict = (row: HolderRow): OverlapConflict => ({
  executionId: row.id,
  planName: row.plan_name,
  startedBy: row.started_by_name,
  since: row.since.toISOString(),
  sharedHosts: row.hosts ?? [],
  sharedKeys: row.keys.map((key) =>
    key.startsWith('plan:') ? `plan ${row.plan_name} in ${row.environment_name}` : `host ${key.slice('host:'.length)}`,
  ),
});

function detailOf(conflicts: OverlapConflict[]): string {
  const [first, ...more] = conflicts;
  if (!first) return 'Other runs were in the way at each try. Try again.';
  const shared =
    first.sharedHosts.length > 0 ? ` holds ${first.sharedHosts.slice(0, 5).join(', ')}` : ' runs the same plan there';
  const others = more.length > 0 ? ` ${more.length} more run(s) overlap too.` : '';
  return `The run of "${first.planName}" that ${first.startedBy} started${shared}.${others} Wait for it to finish or cancel it.`;
}
