import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { encodeCursor, readCursor } from '../../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT } from '../../common/http/paging/page.js';
import { toHostReason } from '../../common/http/reason.view.js';
import { MAX_PREDICTION_HOSTS, type PredictionListView } from '../contract/predictions.view.js';
import type { ListPredictionsQuery } from '../contract/queries.dto.js';
import { type Verdict, VERDICTS_BY_SEVERITY } from '../lifecycle/statuses.js';
import { ExecutionsReader, requireStep } from '../queries/executions.reader.js';

interface Row {
  step_index: number;
  step_key: string;
  verdict: Verdict;
  rank: number;
  first_ordinal: number;
  first_server_id: string | null;
  code: ReasonCode | null;
  message: string | null;
  diff: string | null;
  count: number;
  hosts: { serverId: string; serverName: string }[];
}

@Injectable()
export class PredictionsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /** @throws Problem 404 if the run is not visible to the caller; 400 for an unknown step */
  list(caller: Principal, id: string, query: ListPredictionsQuery): Promise<PredictionListView> {
    const { stepKey, verdict, limit = DEFAULT_PAGE_LIMIT } = query;
    const cursor = readCursor(query.cursor, ['ordinal', 'ordinal', 'ordinal']);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.executions.getVisibleRun(tx, caller, id);
      await requireStep(tx, id, stepKey);
      const conditions = sql.all([
        sql`r.execution_id = ${id} and r.verdict is not null`,
        ...(stepKey === undefined ? [] : [sql`s.key = ${stepKey}`]),
        ...(verdict === undefined ? [] : [sql`r.verdict = any (${verdict})`]),
      ]);
      const isAfterCursor = sql.given(
        cursor,
        (place) => sql`(step_index, rank, first_ordinal) > (${place[0]}, ${place[1]}, ${place[2]})`,
      );
      const found = await rows(
        tx,
        // Diffs can have 16 KiB each: the groups have their hashes, and only a page reads them.
        sql<Row>`select g.*, (select d.diff from host_results d
              where d.execution_id = ${id} and d.step_index = g.step_index and d.server_id = g.first_server_id) as diff
          from (
            select r.step_index, s.key as step_key, coalesce(r.verdict, '') as verdict, r.code, r.message,
                coalesce(array_position(${[...VERDICTS_BY_SEVERITY]}::text[], r.verdict), 0) as rank,
                coalesce(min(h.ordinal), 0) as first_ordinal, count(*)::int as count,
                (array_agg(r.server_id order by h.ordinal))[1] as first_server_id,
                coalesce(to_json((array_agg(json_build_object('serverId', h.server_id, 'serverName', h.name) order by h.ordinal))[1:${MAX_PREDICTION_HOSTS}]), '[]') as hosts
              from host_results r
              join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
              join execution_steps s on s.execution_id = r.execution_id and s.step_index = r.step_index
              where ${conditions}
              group by r.step_index, s.key, r.verdict, r.code, r.message, md5(r.diff)) g
          where ${sql.all([sql`true`, ...isAfterCursor])}
          order by step_index, rank, first_ordinal limit ${limit + 1}`,
      );
      const last = found[limit - 1];
      return {
        items: found.slice(0, limit).map((row) => ({
          stepKey: row.step_key,
          verdict: row.verdict,
          reason: toHostReason(row.code, row.message),
          diff: row.diff,
          hostCount: row.count,
          hosts: row.hosts,
        })),
        nextCursor:
          found.length > limit && last ? encodeCursor([last.step_index, last.rank, last.first_ordinal]) : null,
      };
    });
  }
}
