import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../common/database/sql.js';
import { runPageUrl } from '../common/http/web-pages.js';
import type { EventType } from './event-types.js';
import type { OutboxEvent, RunFacts } from './outbox-event.js';

interface EventRow {
  id: string;
  position: string;
  type: EventType;
  environment_id: string | null;
  plan_id: string | null;
  execution_id: string | null;
  run: Omit<RunFacts, 'webUrl'> | null;
  data: Record<string, unknown>;
  created_at: Date;
}

/**
 * Locks the tenant's outbox until the transaction ends, which keeps events in order. @returns false if another
 * transaction holds the lock
 */
export async function lockOutbox(tx: EntityManager, tenantId: string): Promise<boolean> {
  const lock = await row(
    tx,
    sql<{ held: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${`outbox:${tenantId}`}, 0)) as held`,
  );
  return lock?.held ?? false;
}

export async function takeEvents(
  tx: EntityManager,
  tenantId: string,
  limit: number,
  publicUrl: string,
): Promise<OutboxEvent[]> {
  const taken = await rows(
    tx,
    sql<EventRow>`delete from outbox_events where tenant_id = ${tenantId}
        and id in (select id from outbox_events where tenant_id = ${tenantId} order by position limit ${limit})
      returning id, position, type, environment_id, plan_id, execution_id, run, data, created_at`,
  );
  return taken
    .sort((one, other) => Number(one.position) - Number(other.position))
    .map((row) => ({
      id: row.id,
      tenantId,
      position: row.position,
      type: row.type,
      at: row.created_at,
      environmentId: row.environment_id,
      planId: row.plan_id,
      executionId: row.execution_id,
      data: toData(row, publicUrl),
    }));
}

function toData({ run, data, created_at, execution_id }: EventRow, publicUrl: string): OutboxEvent['data'] {
  if (!run || !execution_id) return data;
  const at = created_at.toISOString();
  return { executionId: execution_id, at, ...data, run: { ...run, webUrl: runPageUrl(publicUrl, execution_id) } };
}
