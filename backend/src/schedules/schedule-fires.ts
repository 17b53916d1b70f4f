import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../common/database/sql.js';
import { encodeCursor, readCursor } from '../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT } from '../common/http/paging/page.js';
import { newId } from '../common/ids.js';
import { type Reason, toReason } from '../common/http/reason.view.js';
import type { ReasonCode } from '../common/errors/reason-codes.js';
import type { FireOutcome } from './records/schedule.entity.js';
import type { ListFiresQuery } from './schedules.dto.js';
import type { PastOccurrenceView } from './occurrences.view.js';
import type { ScheduleFireListView, ScheduleFireView } from './schedules.view.js';

export const MAX_KEPT_FIRES = 100;

export interface ScheduleFire {
  at: Date;
  outcome: FireOutcome;
  reason: Reason | null;
  executionId: string | null;
  blockedBy: string | null;
  missed: number;
}

interface FireRow {
  id: string;
  at: Date;
  fired_at: Date;
  outcome: FireOutcome;
  code: ReasonCode | null;
  reason: string | null;
  execution_id: string | null;
  blocked_by: string | null;
  missed: number;
}

@Injectable()
export class ScheduleFires {
  async list(
    tx: EntityManager,
    tenantId: string,
    scheduleId: string,
    query: ListFiresQuery,
  ): Promise<ScheduleFireListView> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const [after] = readCursor(query.cursor, ['id'], {}) ?? [null];
    const found = await rows(
      tx,
      sql<FireRow>`
        select id, at, fired_at, outcome, code, reason, execution_id, blocked_by, missed from schedule_fires
          where tenant_id = ${tenantId} and schedule_id = ${scheduleId} and (${after}::uuid is null or id < ${after})
          order by id desc limit ${limit + 1}`,
    );
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      items: page.map(toFireView),
      nextCursor: found.length > limit && last ? encodeCursor([last.id]) : null,
    };
  }

  /** Returns fires of schedules for times from `from` (inclusive) to `to` (exclusive), newest first. */
  async listBetween(
    tx: EntityManager,
    tenantId: string,
    scheduleIds: readonly string[],
    { from, to, limit }: { from: Date; to: Date; limit: number },
  ): Promise<PastOccurrenceView[]> {
    const found = await rows(
      tx,
      sql<FireRow & { schedule_id: string }>`
        select id, schedule_id, at, fired_at, outcome, code, reason, execution_id, blocked_by, missed from schedule_fires
          where tenant_id = ${tenantId} and schedule_id = any (${scheduleIds}::uuid[]) and at >= ${from} and at < ${to}
          order by at desc, id desc limit ${limit}`,
    );
    return found.map((row) => ({ ...toFireView(row), scheduleId: row.schedule_id }));
  }

  /** Adds a fire and deletes old fires. The database rejects a second fire for the same time. */
  async add(tx: EntityManager, tenantId: string, scheduleId: string, fire: ScheduleFire): Promise<void> {
    await affected(
      tx,
      sql`insert into schedule_fires (id, tenant_id, schedule_id, at, outcome, code, reason, execution_id, blocked_by, missed)
        values (${newId()}, ${tenantId}, ${scheduleId}, ${fire.at}, ${fire.outcome}, ${fire.reason?.code},
          ${fire.reason?.text},
          ${fire.executionId}, ${fire.blockedBy}, ${fire.missed})`,
    );
    const ofSchedule = sql`tenant_id = ${tenantId} and schedule_id = ${scheduleId}`;
    await affected(
      tx,
      sql`delete from schedule_fires where ${ofSchedule} and id <= (
        select id from schedule_fires where ${ofSchedule} order by id desc offset ${MAX_KEPT_FIRES} limit 1)`,
    );
  }
}

const toFireView = (row: FireRow): ScheduleFireView => ({
  id: row.id,
  at: row.at.toISOString(),
  firedAt: row.fired_at.toISOString(),
  outcome: row.outcome,
  executionId: row.execution_id,
  executionStatus: null,
  reason: toReason(row.code, row.reason),
  blockedBy: row.blocked_by,
  missed: row.missed,
});
