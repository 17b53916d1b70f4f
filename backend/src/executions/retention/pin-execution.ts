import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { SteeredRuns } from '../commands/steered-run.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { appendEvents } from '../output/run-events.js';
import { ExecutionsReader } from '../queries/executions.reader.js';

/** Keeps a run from being deleted, by retention or by a person, and lets go of it. */
@Injectable()
export class PinExecution {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly runs: SteeredRuns,
    private readonly executions: ExecutionsReader,
  ) {}

  /** @throws Problem 404; 409 `grant_required` */
  pin(caller: Principal, id: string, note: string | null): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, head } = await this.runs.held(tx, caller, id);
      await tx.query(
        `update executions set pinned_at = now(), pinned_by = $3, pinned_by_name = $4, pin_note = $5
          where tenant_id = $1 and id = $2`,
        [caller.tenantId, id, caller.userId, caller.name, note],
      );
      await appendEvents(tx, ref, []);
      return this.told(tx, caller, id, head.plan_name, { action: 'execution.pin', after: { note } });
    });
  }

  /** @throws Problem 404; 409 `grant_required` */
  unpin(caller: Principal, id: string): Promise<ExecutionView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { ref, head } = await this.runs.held(tx, caller, id);
      const [, count] = await tx.query<[unknown[], number]>(
        `update executions set pinned_at = null, pinned_by = null, pinned_by_name = null, pin_note = null
          where tenant_id = $1 and id = $2 and pinned_at is not null`,
        [caller.tenantId, id],
      );
      if (count === 0) return this.executions.getIn(tx, caller, id);
      await appendEvents(tx, ref, []);
      return this.told(tx, caller, id, head.plan_name, { action: 'execution.unpin' });
    });
  }

  private async told(
    tx: EntityManager,
    caller: Principal,
    id: string,
    planName: string,
    fact: { action: string; after?: object },
  ): Promise<ExecutionView> {
    await this.audit.record(tx, caller, {
      ...fact,
      resourceType: 'execution',
      resourceId: id,
      resourceName: planName,
    });
    return this.executions.getIn(tx, caller, id);
  }
}
