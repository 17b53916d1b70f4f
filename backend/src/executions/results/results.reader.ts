import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { toHostReason } from '../../common/http/reason.view.js';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { encodeCursor, readCursor } from '../../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { invalidRequest } from '../../common/errors/problem.js';
import type { ListResultsQuery, ResultSort } from '../contract/queries.dto.js';
import type { HostResultView, ResolutionView } from '../contract/results.view.js';
import { requireStep, ExecutionsReader } from '../queries/executions.reader.js';
import { type HostCheckRow, toHostCheckView } from '../record/host-check-row.js';
import type { HostStatus, Verdict } from '../lifecycle/statuses.js';

interface ResultRow extends HostCheckRow {
  sort_key: string | null;
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
  command_started_at: Date | null;
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

  /** @throws Problem 404 if the run is not visible to the caller; 400 for `sort` without step or host */
  list(caller: Principal, id: string, query: ListResultsQuery): Promise<Page<HostResultView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const order = new ResultOrder(query);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.executions.getVisibleRun(tx, caller, id);
      await requireStep(tx, id, query.stepKey);
      const { stepKey, serverId, status } = query;
      const conditions = [
        sql`r.execution_id = ${id}`,
        ...order.afterCursorSql(),
        ...(stepKey === undefined ? [] : [sql`s.key = ${stepKey}`]),
        ...(serverId === undefined ? [] : [sql`r.server_id = ${serverId}`]),
        ...(status === undefined ? [] : [sql`r.status = any (${status})`]),
      ];
      const found = await rows(
        tx,
        sql<ResultRow>`select r.*, h.ordinal, h.name, s.key, ${order.key} as sort_key
          from host_results r
          join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
          join execution_steps s on s.execution_id = r.execution_id and s.step_index = r.step_index
          where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit + 1}`,
      );
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: page.map(toResultView),
        nextCursor: found.length > limit && last ? order.toCursor(last) : null,
      };
    });
  }
}

const SORT_KEYS = {
  serverName: { kind: 'text', key: sql`lower(h.name)` },
  durationMs: {
    kind: 'sequence',
    key: sql`coalesce((extract(epoch from r.finished_at - r.started_at) * 1000000)::bigint, 0)`,
  },
} as const;

/** Order of a page of results: by step and host, or within one step or host by `sort`. */
class ResultOrder {
  /**
   * Sort key of a row.
   * @sql null::text
   */
  readonly key: Sql;
  /**
   * Sort expressions with directions.
   * @sql 1
   */
  readonly orderBy: Sql;
  private readonly sort: ResultSort | undefined;
  private readonly by: (typeof SORT_KEYS)[keyof typeof SORT_KEYS] | null;
  private readonly cursor: string | undefined;
  private readonly isDescending: boolean;

  constructor({ sort, stepKey, serverId, cursor }: ListResultsQuery) {
    // Other sorts would read all results of the run for each page.
    if (sort !== undefined && stepKey === undefined && serverId === undefined) {
      const message = 'sort needs stepKey or serverId.';
      throw invalidRequest([{ path: '?sort', code: 'not_applicable', message }]);
    }
    this.sort = sort;
    this.by = sort === undefined ? null : SORT_KEYS[sort.replace('-', '') as keyof typeof SORT_KEYS];
    this.cursor = cursor;
    this.isDescending = sort?.startsWith('-') ?? false;
    this.key = this.by?.key ?? sql`null`;
    const direction = sql.raw(this.isDescending ? 'desc' : 'asc');
    const first = this.by === null ? sql.raw('') : sql`${this.by.key} ${direction}, `;
    this.orderBy = sql`${first}r.step_index ${direction}, h.ordinal ${direction}`;
  }

  /** @throws Problem 400 `invalid_cursor` */
  afterCursorSql(): Sql[] {
    const sign = sql.raw(this.isDescending ? '<' : '>');
    if (this.by === null) {
      const place = readCursor(this.cursor, ['ordinal', 'ordinal']);
      return sql.given(place, ([step, host]) => sql`(r.step_index, h.ordinal) > (${step}, ${host})`);
    }
    const place = readCursor(this.cursor, [this.by.kind, 'ordinal', 'ordinal'], { sort: this.sort });
    const { key } = this.by;
    return sql.given(
      place,
      ([value, step, host]) => sql`(${key}, r.step_index, h.ordinal) ${sign} (${value}, ${step}, ${host})`,
    );
  }

  toCursor({ sort_key, step_index, ordinal }: ResultRow): string {
    if (this.by === null || this.sort === undefined) return encodeCursor([step_index, ordinal]);
    const key = this.by.kind === 'sequence' ? Number(sort_key) : sort_key;
    return encodeCursor([this.sort, key, step_index, ordinal]);
  }
}

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
  commandStartedAt: row.command_started_at?.toISOString() ?? null,
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
