import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest, notFound, Problem } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { RunPlanReader } from '../../plans/records/run-plan.reader.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { CancelExecutionsRequest, CancelExecutionsView } from '../contract/steering.dto.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { CANCELLABLE_STATUSES, isFinished } from '../lifecycle/statuses.js';
import { RunStore } from '../store/run-store.js';

const ENDED_CODES = new Set<string>(['already_finished', 'not_found']);

const RUNS_PER_REQUEST = 100;

const MISSING_FILTER_FAULT = {
  path: '',
  code: 'required',
  message: 'Send at least one of environmentId, planId, startedById and labels.',
} as const;

/** Cancels runs: a waiting run at once, a running one by stopping its commands. */
@Injectable()
export class CancelExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly store: RunStore,
    private readonly executions: ExecutionsReader,
    private readonly environments: EnvironmentReader,
    private readonly plans: RunPlanReader,
  ) {}

  /** @throws Problem 404; 403 `grant_required`; 409 `already_finished` */
  cancelRun(caller: Principal, id: string, reason: string | undefined): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const before = await this.executions.getVisibleRun(tx, caller, id);
      // A run whose environment was deleted is visible only to admins, who need no grant.
      if (caller.role !== 'admin') await this.environments.requireRunnable(tx, caller, before.environment_id);
      const decision = isFinished(before.status)
        ? null
        : await this.store.applyTransitionIn(tx, { tenantId: caller.tenantId, executionId: id }, null, caller, {
            type: 'cancel_requested',
            by: caller.name,
            reason: reason ?? null,
          });
      const view = await this.executions.getInTransaction(tx, caller, id);
      if (!decision || (isFinished(view.status) && view.status !== 'CANCELLED')) {
        throw conflict('already_finished', `The run is already ${view.status}, so it cannot be cancelled.`);
      }
      return view;
    });
  }

  /**
   * Cancels the newest unfinished runs that match the filter, each in its own transaction. Skips runs that have ended
   * by then.
   * @throws Problem 400 without a filter; 404 for an environment or a plan that the caller may not see
   */
  async cancelMatchingRuns(caller: Principal, request: CancelExecutionsRequest): Promise<CancelExecutionsView> {
    const { labels = {}, status = [...CANCELLABLE_STATUSES], reason, ...filters } = request;
    const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    if (label.length === 0 && Object.values(filters).every((filter) => filter === undefined))
      throw invalidRequest([MISSING_FILTER_FAULT], 'No run was cancelled.');
    await this.units.run(caller.tenantId, async (tx) => {
      const { environmentId, planId, startedById } = filters;
      if (environmentId !== undefined)
        await this.environments.findVisibleEnvironment(tx, caller, environmentId, '/environmentId');
      if (planId !== undefined) await this.plans.findVisiblePlan(tx, caller, planId, '/planId');
      if (startedById !== undefined) await requireRunStarter(tx, caller.tenantId, startedById);
    });
    const { items, nextCursor } = await this.executions.list(caller, {
      ...filters,
      status,
      label,
      limit: RUNS_PER_REQUEST,
    });
    const cancelled = [];
    for (const { id } of items) {
      const run = await this.cancelRun(caller, id, reason).catch((error: unknown) => {
        if (error instanceof Problem && ENDED_CODES.has(error.code)) return null;
        throw error;
      });
      if (run) cancelled.push({ id, planName: run.planName, environmentName: run.environmentName, status: run.status });
    }
    return { cancelled, more: nextCursor !== null };
  }
}

/**
 * Requires a member who has started a run. Also accepts removed members, whose runs may still be unfinished. @throws
 * Problem 404
 */
async function requireRunStarter(tx: EntityManager, tenantId: string, id: string): Promise<void> {
  const ownRun = isId(id)
    ? await row(tx, sql`select 1 from executions where tenant_id = ${tenantId} and started_by = ${id} limit 1`)
    : undefined;
  if (!ownRun) throw notFound('/startedById');
}
