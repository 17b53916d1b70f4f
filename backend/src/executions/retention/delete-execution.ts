import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { isServiceAccount, type Principal } from '../../common/access/principal.js';
import { row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, personRequiredProblem } from '../../common/errors/problem.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { SteeredRuns } from '../commands/steered-run.js';
import { isFinished } from '../lifecycle/statuses.js';
import { appendEvents } from '../output/run-events.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import type { RunRef } from '../record/run-head.js';
import { listDeletionFacts } from './deletion-facts.js';
import { removeRuns } from './removed-runs.js';

const MAX_NAMED_HOSTS = 10;

/** Marks a finished run as removed, which hides it immediately. Workers delete its data later. */
@Injectable()
export class DeleteExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly runs: SteeredRuns,
    private readonly executions: ExecutionsReader,
    private readonly environments: EnvironmentReader,
  ) {}

  /** @throws Problem 403 `person_required`; 404; 409 `not_finished`, `run_pinned`, `unknown_results`, `in_use` */
  delete(caller: Principal, id: string): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const run = await this.executions.getVisibleRun(tx, caller, id);
      const { ref, head } = await this.runs.getLocked(tx, caller, id);
      const [fact] = await listDeletionFacts(tx, caller.tenantId, [id], 'all');
      if (!fact) throw new Error('A locked run could not be read.');
      if (
        isServiceAccount(caller) &&
        (fact.before.approvals.length > 0 || (await this.isProtected(tx, caller, run.environment_id)))
      )
        throw personRequiredProblem();
      if (!isFinished(head.status)) {
        throw conflict('not_finished', `The run is ${head.status}. Wait for its end or cancel it, then delete it.`);
      }
      if (run.pinned_at) {
        throw conflict(
          'run_pinned',
          `${run.pinned_by_name} pinned the run. Unpin it first: DELETE /api/executions/${id}/pin.`,
        );
      }
      await requireResolvedHosts(tx, ref);
      await requireNoRerun(tx, ref);
      // Notifies clients that follow the run. They read it again and get a 404.
      await appendEvents(tx, ref, []);
      const { runs } = await removeRuns(tx, caller.tenantId, [id]);
      if (runs === 0) throw new Error('A locked run could not be deleted.');
      await this.audit.record(tx, caller, fact);
    });
  }

  private async isProtected(tx: EntityManager, { tenantId }: Principal, environmentId: string): Promise<boolean> {
    return (await this.environments.readRights(tx, tenantId, environmentId, []))?.protected ?? false;
  }
}

/** @throws Problem 409 `unknown_results` */
async function requireResolvedHosts(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<void> {
  const held = await row(
    tx,
    sql`select 1 from guard_keys where tenant_id = ${tenantId} and execution_id = ${executionId} limit 1`,
  );
  if (!held) return;
  throw conflict('unknown_results', 'The run has hosts with unknown results. Resolve each of them first.');
}

/**
 * Rejects a run that was rerun, because the rerun reads its results.
 * @throws Problem 409 `in_use`
 */
async function requireNoRerun(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<void> {
  const reruns = await rows(
    tx,
    sql<{ id: string; name: string }>`select id, plan_name as name from executions
      where tenant_id = ${tenantId} and parent_id = ${executionId} order by id limit ${MAX_NAMED_HOSTS}`,
  );
  if (reruns.length === 0) return;
  throw conflict('in_use', 'Reruns of this run may need its results. Delete the reruns first.', {
    referrers: reruns.map((rerun) => ({ type: 'execution', ...rerun })),
  });
}
