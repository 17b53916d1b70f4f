import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { computeWindowState } from '../../environments/windows/run-windows.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { RunPlanReader } from '../../plans/records/run-plan.reader.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { type ExecutionMode, isFinished, ALLOWED_MODE_SWITCHES } from '../lifecycle/statuses.js';
import { appendEvents } from '../output/run-events.js';
import { RunStore } from '../store/run-store.js';
import { requireAllowedMode } from './start/freezing/expanded-run.js';
import { listPlanIds } from '../record/execution-row.js';
import type { RunHead } from '../record/run-head.js';
import { SteeredRuns } from './steered-run.js';

const OVERRIDE_COLUMNS_SQL = { freeze_override: sql`freeze_override`, window_override: sql`window_override` };

interface OverrideKind {
  column: keyof typeof OVERRIDE_COLUMNS_SQL;
  action: AuditActionName;
  code: 'not_frozen' | 'not_held';
  begun: string;
  already: string;
  /**
   * Returns the obstacle that is overridden, for the audit trail. A string means that there is none, and explains why.
   */
  findObstacle(tx: EntityManager, head: RunHead): Promise<object | string>;
}

@Injectable()
export class SteerExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly store: RunStore,
    private readonly runs: SteeredRuns,
    private readonly environments: EnvironmentReader,
    private readonly executions: ExecutionsReader,
    private readonly plans: RunPlanReader,
    private readonly queue: JobQueue,
  ) {}

  /**
   * Pauses the run at its next step boundary. @throws Problem 404; 403 `grant_required`; 409 `already_finished`,
   * `not_possible_now`
   */
  requestPause(caller: Principal, id: string): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, head } = await this.runs.getLocked(tx, caller, id);
      if (isFinished(head.status)) throw conflict('already_finished', `The run is already ${head.status}.`);
      if (head.execution_mode === 'dry_run')
        throw conflict('not_possible_now', 'A dry run cannot be paused. Cancel it instead.');
      if (head.status !== 'RUNNING' && head.status !== 'PENDING')
        throw conflict('not_possible_now', `The run is ${head.status}, so it cannot be paused.`);
      await this.store.applyTransitionIn(tx, ref, null, caller, {
        type: 'pause_requested',
        by: { id: caller.userId, name: caller.name },
      });
      await this.audit.record(tx, caller, {
        action: 'execution.pause',
        resourceId: id,
        resourceName: head.plan_name,
      });
      return this.executions.getInTransaction(tx, caller, id);
    });
  }

  /**
   * Lets an accepted run begin despite a freeze of its plan's collection. The run still needs approval.
   * @throws Problem 404; 409 `already_finished`, `not_frozen`
   */
  overrideFreeze(caller: Principal, id: string, reason: string): Promise<ExecutionView> {
    return this.overrideObstacle(caller, id, reason, {
      ...{ column: 'freeze_override', action: 'execution.override_freeze', code: 'not_frozen' },
      begun: 'The run has already begun, so a freeze no longer applies.',
      already: 'The freeze was already overridden for this run.',
      findObstacle: async (tx, head) => {
        const freeze = await this.plans.freeze(tx, caller.tenantId, listPlanIds(head));
        if (!freeze) return 'No freeze delays the run.';
        return { collectionId: freeze.collectionId, frozenUntil: freeze.until.toISOString() };
      },
    });
  }

  /**
   * Lets an accepted run begin outside the run windows. The run still needs approval.
   * @throws Problem 404; 409 `already_finished`, `not_held`
   */
  overrideWindow(caller: Principal, id: string, reason: string): Promise<ExecutionView> {
    return this.overrideObstacle(caller, id, reason, {
      ...{ column: 'window_override', action: 'execution.override_window', code: 'not_held' },
      begun: 'The run has already begun, so run windows no longer apply.',
      already: 'The run windows were already overridden for this run.',
      findObstacle: async (tx, head) => {
        const rights = await this.environments.readRights(tx, caller.tenantId, head.environment_id, []);
        const state = rights?.runWindows ? computeWindowState(rights.runWindows, rights.now) : null;
        if (!state || state.open) return 'The environment has no run windows, or they are open.';
        return { opensAt: state.opensAt?.toISOString() ?? null };
      },
    });
  }

  private overrideObstacle(caller: Principal, id: string, reason: string, what: OverrideKind): Promise<ExecutionView> {
    const { column, action, code } = what;
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, head } = await this.runs.getLocked(tx, caller, id);
      if (isFinished(head.status)) throw conflict('already_finished', `The run is already ${head.status}.`);
      if (head.begun) throw conflict(code, what.begun);
      if (head[column] !== null) throw conflict(code, what.already);
      const obstacle = await what.findObstacle(tx, head);
      if (typeof obstacle === 'string') throw conflict(code, obstacle);
      if (head.execution_mode === 'dry_run') throw conflict(code, 'Freezes and run windows do not apply to dry runs.');
      await affected(
        tx,
        sql`update executions set ${OVERRIDE_COLUMNS_SQL[column]} = ${reason}, not_before = least(not_before, now())
          where tenant_id = ${caller.tenantId} and id = ${id}`,
      );
      await this.audit.record(tx, caller, {
        action,
        resourceId: id,
        resourceName: head.plan_name,
        after: { reason, ...obstacle },
      });
      if (head.status === 'PENDING') await this.queue.enqueueAdvanceRun(tx, ref);
      return this.executions.getInTransaction(tx, caller, id);
    });
  }

  /**
   * Switches the mode. A current pause remains and still needs a decision.
   * @throws Problem 404; 403 `grant_required`; 409 `already_finished`, `mode_not_allowed`, `not_possible_now` with
   *   `choices`
   */
  switchMode(caller: Principal, id: string, mode: ExecutionMode): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, head } = await this.runs.getLocked(tx, caller, id);
      const { execution_mode: before } = head;
      if (isFinished(head.status)) throw conflict('already_finished', `The run is already ${head.status}.`);
      const isCancelling = head.status === 'CANCELLING';
      const choices = isCancelling ? [] : ALLOWED_MODE_SWITCHES[before];
      if (!choices.includes(mode)) {
        const state = isCancelling ? 'being cancelled' : before;
        const can =
          choices.length > 0
            ? `It can be switched to ${choices.join(' or ')}`
            : 'It cannot be switched to another mode';
        throw conflict('not_possible_now', `The run is ${state}. ${can}.`, { choices });
      }
      const environment = await this.environments.findVisibleEnvironment(tx, caller, head.environment_id);
      requireAllowedMode(environment.name, environment.allowedModes, mode);
      requireAllowedMode(head.plan_name, head.snapshot.plan.allowedModes, mode);
      await this.store.applyTransitionIn(tx, ref, null, caller, { type: 'mode_changed', mode });
      await appendEvents(tx, ref, [
        {
          type: 'execution.status_changed',
          data: { status: head.status, previous: head.status, reason: null, execution_mode: mode },
        },
      ]);
      await this.audit.record(tx, caller, {
        action: 'execution.switch_mode',
        resourceId: id,
        resourceName: head.plan_name,
        before: { execution_mode: before },
        after: { execution_mode: mode },
      });
      return this.executions.getInTransaction(tx, caller, id);
    });
  }
}
