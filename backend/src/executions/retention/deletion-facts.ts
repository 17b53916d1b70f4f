import type { EntityManager } from 'typeorm';
import type { AuditAction } from '../../audit/audit-trail.js';
import { rows, sql } from '../../common/database/sql.js';
import type { ExecutionStatus } from '../lifecycle/statuses.js';
import { withRemovedRuns } from './removed-runs.js';

const MAX_DECISIONS = 100;

interface DeletedRunFact {
  planId: string;
  planRevision: number;
  environmentId: string;
  environmentName: string;
  status: ExecutionStatus;
  startedByName: string;
  createdAt: Date;
  finishedAt: Date | null;
  hostCount: number;
  digest: string;
}

interface ApprovalDecisionFact {
  round: number;
  userId: string;
  userName: string;
  decision: 'approved' | 'rejected';
  digest: string;
  at: Date;
}

/** Audit entry of a deleted run. It contains decisions by round, and the number of earlier decisions left out. */
type DeletionFact = AuditAction & {
  before: DeletedRunFact & { approvals: ApprovalDecisionFact[]; earlierApprovals: number };
};

/**
 * Returns audit entries for the runs that this transaction deletes or marks as removed.
 * @param which `decided`: only runs with a decision
 */
export async function listDeletionFacts(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
  which: 'all' | 'decided',
): Promise<DeletionFact[]> {
  const decisions = await loadApprovalDecisions(tx, tenantId, ids);
  const selectedIds = which === 'all' ? ids : [...decisions.keys()];
  if (selectedIds.length === 0) return [];
  const runs = await withRemovedRuns(tx, () =>
    rows(
      tx,
      sql<
        DeletedRunFact & { id: string; planName: string }
      >`select id, plan_name as "planName", plan_id as "planId", plan_revision as "planRevision",
          environment_id as "environmentId", environment_name as "environmentName", status,
          started_by_name as "startedByName", created_at as "createdAt", finished_at as "finishedAt",
          host_count as "hostCount", digest
        from executions where tenant_id = ${tenantId} and id = any (${selectedIds}) order by id`,
    ),
  );
  return runs.map(({ id, planName, ...run }) => ({
    action: 'execution.deleted',
    resourceId: id,
    resourceName: planName,
    before: { ...run, ...(decisions.get(id) ?? { approvals: [], earlierApprovals: 0 }) },
  }));
}

/** Returns the valid decisions of all rounds, by run. Runs without decisions are absent. */
async function loadApprovalDecisions(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, { approvals: ApprovalDecisionFact[]; earlierApprovals: number }>> {
  const decisions = await rows(
    tx,
    sql<
      ApprovalDecisionFact & { id: string; made: number }
    >`select id, made, round, "userId", "userName", decision, digest, at from (
        select execution_id as id, round, user_id as "userId", user_name as "userName", decision, digest, at,
          row_number() over (partition by execution_id order by round desc, at desc, user_id desc) as newest,
          (count(*) over (partition by execution_id))::int as made
        from approval_decisions where tenant_id = ${tenantId} and execution_id = any (${ids}) and withdrawn_at is null) decided
      where newest <= ${MAX_DECISIONS} order by id, newest desc`,
  );
  const found = new Map<string, { approvals: ApprovalDecisionFact[]; earlierApprovals: number }>();
  for (const { id, made, ...decision } of decisions) {
    const { approvals } = found.get(id) ?? { approvals: [] as ApprovalDecisionFact[] };
    approvals.push(decision);
    found.set(id, { approvals, earlierApprovals: made - approvals.length });
  }
  return found;
}
