import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { RunStore } from '../executions/store/run-store.js';
import { ADMIN_ACTOR } from './admin-actor.js';

/** Runs that one transaction ends. */
const AT_ONCE = 50;

const GIVEN_UP = {
  code: 'copied_installation',
  text: 'This installation is a copy. The run belongs to the original installation and continues there.',
};
const PAUSED =
  'This installation is a copy: check what the schedule would do beside the original before you enable it.';

/** Of one tenant, what was given up. */
export interface LeftWork {
  runs: number;
  schedules: number;
}

/** Gives up what a copy took over from the original: its open runs, deliveries, schedules and jobs. Can be repeated. */
@Injectable()
export class LeaveOriginal {
  constructor(
    private readonly units: UnitOfWork,
    private readonly store: RunStore,
    private readonly audit: AuditTrail,
  ) {}

  async ofTenant(tenantId: string): Promise<LeftWork> {
    let runs = 0;
    for (let ended = AT_ONCE; ended === AT_ONCE; runs += ended) ended = await this.endRuns(tenantId);
    return this.units.run(tenantId, async (tx) => {
      const schedules = await dropDueWork(tx, tenantId);
      const left = { runs, schedules };
      await this.audit.record(tx, ADMIN_ACTOR(tenantId), {
        action: 'installation.resume_as_copy',
        resourceType: 'installation',
        after: left,
      });
      return left;
    });
  }

  private endRuns(tenantId: string): Promise<number> {
    return this.units.run(tenantId, async (tx) => {
      const open = await tx.query<{ id: string }[]>(
        'select id from executions where tenant_id = $1 and finished_at is null order by id limit $2',
        [tenantId, AT_ONCE],
      );
      for (const { id: executionId } of open)
        await this.store.transitionIn(tx, { tenantId, executionId }, null, ADMIN_ACTOR(tenantId), {
          type: 'abandoned',
          reason: GIVEN_UP,
        });
      return open.length;
    });
  }
}

/** @returns how many schedules were disabled */
async function dropDueWork(tx: EntityManager, tenantId: string): Promise<number> {
  const of = [tenantId];
  await tx.query('delete from outbox_events where tenant_id = $1', of);
  await tx.query('delete from webhook_deliveries where tenant_id = $1 and finished_at is null', of);
  await tx.query('delete from notification_deliveries where tenant_id = $1 and due_at is not null', of);
  await tx.query('update git_sources set due_at = null, requested_at = null where tenant_id = $1', of);
  await tx.query('update server_checks set requested_at = null, due_from = now() where tenant_id = $1', of);
  await tx.query(
    `update key_rotation_hosts h set state = 'given_up', message = $2 from key_rotations r
      where h.tenant_id = $1 and r.tenant_id = $1 and r.id = h.rotation_id and r.finished_at is null
        and h.state in ('pending', 'installed', 'switched', 'failed')`,
    [tenantId, GIVEN_UP.text],
  );
  await tx.query(
    'update key_rotations set finished_at = now(), lease_until = null where tenant_id = $1 and finished_at is null',
    of,
  );
  await tx.query(
    `update inventory_imports set state = 'failed' where tenant_id = $1 and state in ('pending', 'running')`,
    of,
  );
  // Last: what ended above has left jobs too.
  await tx.query(`delete from pgboss.job where data->>'tenantId' = $1`, of);
  const [, schedules] = await tx.query<[unknown[], number]>(
    `update schedules set enabled = false, paused_reason = $2, paused_by_name = $3, paused_at = now(), claimed_until = null,
        next_at = null, due_at = null, version = version + 1, updated_at = now()
      where tenant_id = $1 and enabled`,
    [tenantId, PAUSED, ADMIN_ACTOR(tenantId).name],
  );
  return schedules;
}
