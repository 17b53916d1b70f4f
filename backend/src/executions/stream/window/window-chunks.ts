import type { EntityManager } from 'typeorm';
import { row, rows, sql, type Sql } from '../../../common/database/sql.js';
import type { DroppedOutputView } from '../../contract/output-window.view.js';
import type { OutputStream } from '../../output/output-piece.js';

/** Output to read: of a step on a host, of a step, of a host, or of the whole run. */
export interface OutputSelection {
  executionId: string;
  stepIndex: number | null;
  serverId: string | null;
  stream: OutputStream | null;
}

/** Chunk with lines that begin in it. */
export interface WindowChunk {
  stepKey: string;
  serverId: string;
  serverName: string;
  stream: OutputStream;
  /** Position of the first line in the selection. */
  position: number;
  /** Position of the first line in the output of the run; null = equals `position`. */
  runPosition: number | null;
  firstLine: number;
  lineCount: number;
  continues: boolean;
  openEnded: boolean;
  at: Date;
  data: Buffer;
  /** Continuation of the last line in later chunks, or the beginning of that. */
  rest: Buffer | null;
  /** The last line continues after `rest`. */
  longer: boolean;
  /** The last bytes of that line, of at most the first 500 chunks; null = `rest` is complete. */
  restEnd: Buffer | null;
  dropped: DroppedOutputView | null;
}

interface Row {
  step_key: string;
  server_id: string;
  server_name: string;
  stream: 1 | 2;
  position: string;
  run_line: string;
  first_line: number;
  line_count: number;
  continues: boolean;
  open_ended: boolean;
  at: Date;
  data: Buffer;
  rest: Buffer | null;
  longer: boolean;
  rest_end: Buffer | null;
  dropped_lines: string | null;
  dropped_bytes: string | null;
}

/** Chunks per statement, and the bytes after which it returns no more. */
const MAX_CHUNKS = 500;
const MAX_BYTES = 1024 * 1024;
/** Chunks that one statement visits to find those of one stream. */
const MAX_SCANNED_CHUNKS = 20_000;
/** Limits of the later chunks that are read for the rest of a line. */
const MAX_REST = { chunks: 500, bytes: 16 * 1024 };
const MAX_LINE_NUMBER = 2 ** 31 - 1;

/** Where to read, in terms of the order column: from a value on, or back from before a value. */
interface ScanStart {
  isForward: boolean;
  value: number;
}

const isInRangeSql = (order: Sql, { isForward, value }: ScanStart): Sql =>
  isForward ? sql`${order} >= ${value}` : sql`${order} < ${value}`;

const sortSql = (order: Sql, { isForward }: Pick<ScanStart, 'isForward'>): Sql =>
  isForward ? sql`${order} asc` : sql`${order} desc`;

/**
 * Positions are line numbers for a step on a host. Otherwise they count the lines of the run, from 1, in the order of
 * storage.
 */
const hasLineNumbers = ({ stepIndex, serverId }: OutputSelection): boolean => stepIndex !== null && serverId !== null;

/** Column of an index by which chunks of the selection are in order. */
const orderColumn = (selection: OutputSelection): Sql => sql.raw(hasLineNumbers(selection) ? 'first_line' : 'run_line');

/** Value of the order column for a chunk whose first line has this position. */
const toOrderValue = (selection: OutputSelection, position: number): number =>
  hasLineNumbers(selection) ? Math.min(position, MAX_LINE_NUMBER) : position - 1;

/** Condition: chunks of the selection, in both streams, with lines that begin in them. */
const isSelectedSql = ({ executionId, stepIndex, serverId }: OutputSelection): Sql =>
  sql.all([
    sql`execution_id = ${executionId} and line_count > 0`,
    ...sql.given(stepIndex, (index) => sql`step_index = ${index}`),
    ...sql.given(serverId, (id) => sql`server_id = ${id}`),
  ]);

/** Chunks from the one that contains `from` on, or from the next one. */
export async function readChunksFrom(
  tx: EntityManager,
  selection: OutputSelection,
  from: number,
  lines: number,
): Promise<WindowChunk[]> {
  const order = orderColumn(selection);
  const value = toOrderValue(selection, from);
  // Finds the chunk among those of all hosts: the index has no order for the chunks of one host.
  const first = await row(
    tx,
    sql<{
      value: string;
    }>`select case when ${order} + line_count > ${value} then ${order} else ${value} end::bigint as value from output_chunks
      where ${isSelectedSql(hasLineNumbers(selection) ? selection : { ...selection, serverId: null })} and ${order} <= ${value}
      order by ${order} desc limit 1`,
  );
  return readChunks(tx, selection, { isForward: true, value: Number(first?.value ?? 0) }, lines);
}

/** Chunks that begin before `before`, the last of them first. */
export const readChunksBefore = (
  tx: EntityManager,
  selection: OutputSelection,
  before: number,
  lines: number,
): Promise<WindowChunk[]> =>
  readChunks(tx, selection, { isForward: false, value: toOrderValue(selection, before) }, lines);

/** Reads chunks until they have about `lines` lines. */
async function readChunks(
  tx: EntityManager,
  selection: OutputSelection,
  start: ScanStart,
  lines: number,
): Promise<WindowChunk[]> {
  const shift = hasLineNumbers(selection) ? 0 : 1;
  const order = orderColumn(selection);
  const sorted = sortSql(order, start);
  const found = await rows(
    tx,
    sql<Row>`select s.key as step_key, c.server_id, h.name as server_name, c.stream, c.${order} + ${shift}::bigint as position, c.run_line,
        c.first_line, c.line_count, c.continues, c.open_ended, c.at, c.data, rest.data as rest, coalesce(rest.longer, false) as longer, rest.rest_end,
        case when ${FOLLOWS_DROPPED_SQL} then r.dropped_lines end as dropped_lines,
        case when ${FOLLOWS_DROPPED_SQL} then r.dropped_bytes end as dropped_bytes
      from (
        select *, sum(line_count) over before as lines_before, sum(octet_length(data)) over before as bytes_before
          from (${selectScannedSql(selection, start)}) scanned
          window before as (order by ${sorted} rows between unbounded preceding and 1 preceding)
          order by ${sorted} limit ${MAX_CHUNKS}
      ) c
      join execution_steps s on s.execution_id = c.execution_id and s.step_index = c.step_index
      join execution_hosts h on h.execution_id = c.execution_id and h.server_id = c.server_id
      join host_results r on r.execution_id = c.execution_id and r.step_index = c.step_index and r.server_id = c.server_id
      left join lateral (
        select string_agg(p.data, null order by p.seq) filter (where coalesce(p.bytes_before, 0) < ${MAX_REST.bytes}) as data,
            max(p.bytes_before) >= ${MAX_REST.bytes} or count(*) = ${MAX_REST.chunks} as longer,
            string_agg(p.data, null order by p.seq) filter (where p.bytes > ${MAX_REST.bytes}
              and coalesce(p.bytes_before, 0) + octet_length(p.data) > p.bytes - ${MAX_REST.bytes}) as rest_end from (
          select seq, data, sum(octet_length(data)) over (order by seq rows between unbounded preceding and 1 preceding) as bytes_before,
              sum(octet_length(data)) over () as bytes
            from output_chunks
            where c.open_ended and execution_id = c.execution_id and step_index = c.step_index and server_id = c.server_id
              and first_line = c.first_line + c.line_count - 1 and line_count = 0 and stream = c.stream
            order by seq limit ${MAX_REST.chunks}) p) rest on true
      where coalesce(c.lines_before, 0) < ${lines} and coalesce(c.bytes_before, 0) < ${MAX_BYTES}
      order by c.${order}`,
  );
  return found.map((each) => toWindowChunk(each, selection));
}

/** Condition on a chunk `c` and its result `r`: the chunk is the first one after the dropped output. */
const FOLLOWS_DROPPED_SQL = sql`(r.dropped_after_line is not null and c.first_line = r.dropped_after_line + r.dropped_lines + 1)`;

/** Chunks of the selection in the range, with all columns, in any order. */
function selectScannedSql(selection: OutputSelection, start: ScanStart): Sql {
  const { executionId, stepIndex, serverId, stream } = selection;
  const isOfStream = stream === null ? sql`true` : sql`stream = ${stream === 'stdout' ? 1 : 2}`;
  const sorted = sortSql(orderColumn(selection), start);
  const isInRange = isInRangeSql(orderColumn(selection), start);
  // No index has the chunks of a host in the order of the run. Those of each step are few.
  if (serverId !== null && stepIndex === null)
    return sql`select own.* from execution_steps s cross join lateral (
        select * from output_chunks
          where execution_id = ${executionId} and step_index = s.step_index and server_id = ${serverId} and line_count > 0
            and ${isInRange} and ${isOfStream}
          order by ${sorted} limit ${MAX_CHUNKS}) own
      where s.execution_id = ${executionId}`;
  const inOrder = (limit: number) => sql`select * from output_chunks where ${isSelectedSql(selection)} and ${isInRange}
    order by ${sorted} limit ${limit}`;
  if (stream === null) return inOrder(MAX_CHUNKS);
  return sql`select * from (${inOrder(MAX_SCANNED_CHUNKS)}) both_streams where ${isOfStream}`;
}

/**
 * Position at which `readChunksFrom` or `readChunksBefore` stops because it visited too many chunks of the other
 * stream; null = it does not stop before the end.
 */
export async function findScanEnd(
  tx: EntityManager,
  selection: OutputSelection,
  place: number,
  isForward: boolean,
): Promise<number | null> {
  if (selection.stream === null || (selection.serverId !== null && selection.stepIndex === null)) return null;
  const order = orderColumn(selection);
  const start = { isForward, value: toOrderValue(selection, place) };
  const last = await row(
    tx,
    sql<{
      value: string;
    }>`select ${order}::bigint as value from output_chunks where ${isSelectedSql(selection)} and ${isInRangeSql(order, start)}
      order by ${sortSql(order, start)} offset ${MAX_SCANNED_CHUNKS - 1} limit 1`,
  );
  return last ? Number(last.value) + (hasLineNumbers(selection) ? 0 : 1) : null;
}

/** First and last position of the selection, in both streams. For a host: those of the run. Zeros: no output. */
export async function readPositionRange(
  tx: EntityManager,
  selection: OutputSelection,
): Promise<{ first: number; last: number }> {
  const order = orderColumn(selection);
  const isSelected = isSelectedSql(hasLineNumbers(selection) ? selection : { ...selection, serverId: null });
  const range = await row(
    tx,
    sql<{ first: string | null; last: string | null }>`select
      (select ${order}::bigint from output_chunks where ${isSelected} order by ${order} limit 1) as first,
      (select ${order}::bigint + line_count - 1 from output_chunks where ${isSelected} order by ${order} desc limit 1) as last`,
  );
  if (!range || range.first === null || range.last === null) return { first: 0, last: 0 };
  const shift = hasLineNumbers(selection) ? 0 : 1;
  return { first: Number(range.first) + shift, last: Number(range.last) + shift };
}

const toWindowChunk = (found: Row, selection: OutputSelection): WindowChunk => ({
  stepKey: found.step_key,
  serverId: found.server_id,
  serverName: found.server_name,
  stream: found.stream === 1 ? 'stdout' : 'stderr',
  position: Number(found.position),
  runPosition: hasLineNumbers(selection) ? Number(found.run_line) + 1 : null,
  firstLine: found.first_line,
  lineCount: found.line_count,
  continues: found.continues,
  openEnded: found.open_ended,
  at: found.at,
  data: found.data,
  rest: found.rest,
  longer: found.longer,
  restEnd: found.rest_end,
  dropped:
    found.dropped_lines === null || found.dropped_bytes === null
      ? null
      : { lines: Number(found.dropped_lines), bytes: Number(found.dropped_bytes) },
});
