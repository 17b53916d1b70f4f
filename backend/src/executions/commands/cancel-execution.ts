import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { isFinished } from '../lifecycle/statuses.js';
import { RunStore } from '../store/run-store.js';

/** Cancels a run: at once when it waits, by stopping its commands when it runs. */
@Injectable()
export class CancelExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly store: RunStore,
    private readonly executions: ExecutionsReader,
    private readonly environments: EnvironmentReader,
  ) {}

  /** @throws Problem 404; 409 `grant_required`, `already_finished` */
  cancel(caller: Principal, id: string, reason: string | undefined): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const before = await this.executions.visible(tx, caller, id);
      // A run whose environment is gone is visible to admins only, who need no grant.
      if (caller.role !== 'admin') await this.environments.runnable(tx, caller, before.environment_id);
      const decision = isFinished(before.status)
        ? null
        : await this.store.transitionIn(tx, { tenantId: caller.tenantId, executionId: id }, null, caller, {
            type: 'cancel_requested',
            by: caller.name,
            reason: reason ?? null,
          });
      const view = await this.executions.getIn(tx, caller, id);
      if (!decision || (isFinished(view.status) && view.status !== 'CANCELLED')) {
        throw conflict('already_finished', `The run is ${view.status} already; there is nothing left to cancel.`);
      }
      return view;
    });
  }
}
