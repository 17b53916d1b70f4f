import type { Reason } from '../common/http/reason.view.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { affected, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { listOpenRunIds } from '../executions/queries/open-runs.js';
import { RunStore } from '../executions/store/run-store.js';
import { cancelDueSyncs } from '../git-sources/records/leave-original.js';
import { cancelInventoryWork } from '../inventory/leave-original.js';
import { dropWaitingMessages } from '../notifications/records/leave-original.js';
import { dropEvents } from '../outbox/leave-original.js';
import { disableSchedules } from '../schedules/records/disable-copied-schedules.js';
import { dropWaitingDeliveries } from '../webhooks/sending/leave-original.js';
import { createAdminActor } from './admin-actor.js';

const RUNS_PER_BATCH = 50;

const ABANDONED_RUN_REASON: Reason = {
  code: 'copied_installation',
  text: 'This installation is a copy. The run belongs to the original installation and continues there.',
};
const PAUSED_SCHEDULE_REASON: Reason = {
  code: 'copied_installation',
  text: 'This installation is a copy. Before you enable the schedule, check that it does not conflict with the original.',
};

export interface AbandonedWork {
  runs: number;
  schedules: number;
}

/** Abandons work that a copy has inherited from the original: open runs, deliveries, schedules and jobs. Repeatable. */
@Injectable()
export class AbandonOriginalWork {
  constructor(
    private readonly units: UnitOfWork,
    private readonly store: RunStore,
    private readonly audit: AuditTrail,
  ) {}

  async abandonWorkOfTenant(tenantId: string): Promise<AbandonedWork> {
    let runs = 0;
    for (let ended = RUNS_PER_BATCH; ended === RUNS_PER_BATCH; runs += ended) ended = await this.endOpenRuns(tenantId);
    return this.units.run(tenantId, async (tx) => {
      const schedules = await dropDueWorkOfTenant(tx, tenantId);
      const remainingWork = { runs, schedules };
      await this.audit.record(tx, createAdminActor(tenantId), {
        action: 'installation.resume_as_copy',
        after: remainingWork,
      });
      return remainingWork;
    });
  }

  private endOpenRuns(tenantId: string): Promise<number> {
    return this.units.run(tenantId, async (tx) => {
      const open = await listOpenRunIds(tx, tenantId, RUNS_PER_BATCH);
      for (const executionId of open)
        await this.store.applyTransitionIn(tx, { tenantId, executionId }, null, createAdminActor(tenantId), {
          type: 'abandoned',
          reason: ABANDONED_RUN_REASON,
        });
      return open.length;
    });
  }
}

async function dropDueWorkOfTenant(tx: EntityManager, tenantId: string): Promise<number> {
  await dropEvents(tx, tenantId);
  await dropWaitingDeliveries(tx, tenantId);
  await dropWaitingMessages(tx, tenantId);
  await cancelDueSyncs(tx, tenantId);
  await cancelInventoryWork(tx, tenantId, ABANDONED_RUN_REASON.text);
  // Comes last, because the steps above may have created jobs.
  await affected(tx, sql`delete from pgboss.job where data->>'tenantId' = ${tenantId}`);
  return disableSchedules(tx, tenantId, { reason: PAUSED_SCHEDULE_REASON, by: createAdminActor(tenantId).name });
}
