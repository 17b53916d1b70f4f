import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { toHostReason } from '../../common/http/reason.view.js';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { encodeCursor, readCursor } from '../../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import type { ListResultsQuery } from '../contract/queries.dto.js';
import type { HostResultView, ResolutionView } from '../contract/results.view.js';
import { requireStep, ExecutionsReader } from '../queries/executions.reader.js';
import { type HostCheckRow, toHostCheckView } from '../record/host-check-row.js';
import type { HostStatus, Verdict } from '../lifecycle/statuses.js';

interface ResultRow extends HostCheckRow {
  step_index: number;
  ordinal: number;
  key: string;
  server_id: string;
  name: string;
  status: HostStatus;
  exit_code: number | null;
  signal: string | null;
  attempts: number;
  started_at: Date | null;
  finished_at: Date | null;
  code: ReasonCode | null;
  message: string | null;
  changed: boolean | null;
  outputs: Record<string, string> | null;
  verdict: Verdict | null;
  diff: string | null;
  resolution: ResolutionView['kind'] | null;
  resolution_comment: string | null;
  resolved_by: string | null;
  resolved_by_name: string | null;
  resolved_at: Date | null;
  output_lines: string;
  output_bytes: string;
  dropped_lines: string;
  dropped_bytes: string;
  dropped_after_line: string | null;
}

@Injectable()
export class ResultsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /** @throws Problem 404 if the run is not visible to the caller */
  list(caller: Principal, id: string, query: ListResultsQuery): Promise<Page<HostResultView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const [afterStep, afterOrdinal] = parseCursor(query.cursor);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.executions.getVisibleRun(tx, caller, id);
      await requireStep(tx, id, query.stepKey);
      const { stepKey, serverId, status } = query;
      const conditions = [
        sql`r.execution_id = ${id} and (r.step_index, h.ordinal) > (${afterStep}, ${afterOrdinal})`,
        ...(stepKey === undefined ? [] : [sql`s.key = ${stepKey}`]),
        ...(serverId === undefined ? [] : [sql`r.server_id = ${serverId}`]),
        ...(status === undefined ? [] : [sql`r.status = any (${status})`]),
      ];
      const found = await rows(
        tx,
        sql<ResultRow>`select r.*, h.ordinal, h.name, s.key
          from host_results r
          join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
          join execution_steps s on s.execution_id = r.execution_id and s.step_index = r.step_index
          where ${sql.all(conditions)} order by r.step_index, h.ordinal limit ${limit + 1}`,
      );
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(toResultView),
        nextCursor: found.length > limit && last ? encodeCursor([last.step_index, last.ordinal]) : null,
      };
    });
  }
}

const parseCursor = (cursor: string | undefined): readonly [number, number] =>
  readCursor(cursor, ['ordinal', 'ordinal']) ?? [-1, -1];

function toResolutionView(row: ResultRow): ResolutionView | null {
  if (row.resolution === null) return null;
  return {
    kind: row.resolution,
    comment: row.resolution_comment,
    by: row.resolved_by === null ? null : { id: row.resolved_by, name: row.resolved_by_name ?? '' },
    at: row.resolved_at?.toISOString() ?? null,
  };
}

const toResultView = (row: ResultRow): HostResultView => ({
  stepKey: row.key,
  serverId: row.server_id,
  serverName: row.name,
  status: row.status,
  exitCode: row.exit_code,
  signal: row.signal,
  attempts: row.attempts,
  startedAt: row.started_at?.toISOString() ?? null,
  finishedAt: row.finished_at?.toISOString() ?? null,
  reason: toHostReason(row.code, row.message),
  changed: row.changed,
  outputs: row.outputs,
  verdict: row.verdict,
  diff: row.diff,
  resolution: toResolutionView(row),
  check: toHostCheckView(row),
  outputLines: Number(row.output_lines),
  outputBytes: Number(row.output_bytes),
  droppedLines: Number(row.dropped_lines),
  droppedBytes: Number(row.dropped_bytes),
  droppedAfterLine: row.dropped_after_line === null ? null : Number(row.dropped_after_line),
});
