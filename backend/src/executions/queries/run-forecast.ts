import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { EnvironmentReader, type EnvironmentRights } from '../../environments/environment.reader.js';
import { windowState } from '../../environments/windows/run-windows.js';
import { RunPlanReader } from '../../plans/run-plan.reader.js';
import { UnapprovedAuthors } from '../approval/unapproved-authors.js';
import type { ApprovalForecastView, ForecastView, WindowForecastView } from '../contract/forecast.view.js';
import { guardKeysOf } from '../lifecycle/overlap.js';
import { type ExecutionRow, plansOf, type Snapshot } from '../record/execution-row.js';
import { OverlapReport } from './overlap-report.js';

/** How many members are named. */
const NAMED = 20;

type Row = ExecutionRow & { snapshot: Snapshot };

/** Tells what a real run of what a dry run looked at would meet: who has to approve it, what is in its way. */
@Injectable()
export class RunForecast {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly overlaps: OverlapReport,
    private readonly plans: RunPlanReader,
    private readonly authors: UnapprovedAuthors,
  ) {}

  /** At this moment, for the caller; null: this is no dry run. */
  async of(tx: EntityManager, caller: Principal, row: Row): Promise<ForecastView | null> {
    if (row.execution_mode !== 'dry_run') return null;
    const hosts = await tx.query<{ hostname: string; port: number }[]>(
      'select hostname, port from execution_hosts where execution_id = $1',
      [row.id],
    );
    const { parallelSafe, locks } = row.snapshot.plan;
    const called = row.snapshot.calledPlans;
    const keys = guardKeysOf({
      ...{ planId: row.plan_id, environmentId: row.environment_id, hosts, parallelSafe, called, locks },
    });
    const environmentRights = await this.environments.rightsIn(tx, caller.tenantId, row.environment_id, []);
    const approvalRequired = environmentRights?.protected ?? false;
    const holders = await this.overlaps.holders(tx, caller, keys);
    const window = windowOf(environmentRights);
    const freeze = await this.plans.freeze(tx, caller.tenantId, plansOf(row));
    return {
      obstacles: [
        ...(approvalRequired ? (['approval'] as const) : []),
        ...(holders.conflicts.length + holders.hiddenConflicts > 0 ? (['conflict'] as const) : []),
        ...(freeze ? (['frozen'] as const) : []),
        ...(window ? (['window'] as const) : []),
      ],
      approvalRequired,
      approval: approvalRequired ? await this.approval(tx, caller, row) : null,
      freeze: freeze && {
        collectionName: freeze.collectionName,
        reason: freeze.reason,
        until: freeze.until.toISOString(),
      },
      window,
      ...holders,
    };
  }

  /** Who starts it, who holds what they would start it with and who wrote what it would do for the first time are left out, as they would be when it waits. */
  private async approval(tx: EntityManager, caller: Principal, row: Row): Promise<ApprovalForecastView> {
    const { tenantId } = caller;
    const policy = await this.environments.approvalPolicy(tx, tenantId, row.environment_id);
    const members = await this.environments.approvers(tx, tenantId, row.environment_id);
    const { library = null, calledPlans: called = null } = row.snapshot;
    const run = { ...row, library, called };
    const authors = policy.allowSelfApproval ? [] : await this.authors.of(tx, { tenantId, executionId: row.id }, run);
    const left = new Set(
      policy.allowSelfApproval ? [] : [caller.userId, ...caller.heldBy, ...authors.map(({ userId }) => userId)],
    );
    const approvers = members.filter(({ id }) => !left.has(id));
    return {
      requiredApprovals: policy.requiredApprovals,
      approvers: caller.role === 'viewer' ? [] : approvers.slice(0, NAMED).map(({ name }) => name),
      approverCount: approvers.length,
    };
  }
}

function windowOf(rights: EnvironmentRights | null): WindowForecastView | null {
  if (!rights?.runWindows) return null;
  const state = windowState(rights.runWindows, rights.now);
  if (state.open) return null;
  const { timeZone } = rights.runWindows;
  return { timeZone, opensAt: state.opensAt?.toISOString() ?? null, blackout: state.blackout };
}
