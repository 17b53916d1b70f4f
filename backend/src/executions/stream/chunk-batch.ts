import type { EntityManager } from 'typeorm';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import { isId } from '../../common/ids.js';
import type { ListOutputQuery } from '../contract/queries.dto.js';
import { CHUNK_POSITION_SQL, type ChunkRow } from '../output/stored-output.js';
import { toSearchFragments } from './line-search.js';

export type OutputFilters = Pick<ListOutputQuery, 'stepKey' | 'serverId' | 'stream' | 'q'> & { regex?: boolean };

export type NamedChunkRow = ChunkRow & {
  step_index: number;
  /** Number of lines of the run that began in earlier chunks. */
  run_line: string;
  server_name: string;
  /** End of the earlier chunk in which this chunk's first line began. Null: no such chunk, or no search is running. */
  before: Buffer | null;
};

type ScannedChunkRow = Omit<NamedChunkRow, 'data'> & { bytes: number; data: Buffer | null };

export interface ChunkBatch {
  /** Chunks that may contain the search text. */
  rows: NamedChunkRow[];
  bytes: number;
  next: number;
  /** 0: the run has no chunk. */
  last: number;
  end: boolean;
}

/**
 * Maximum number of chunks that one statement scans, to bound its duration: the filters may match none of a million
 * chunks.
 */
const MAX_SCANNED_CHUNKS = 20_000;
/**
 * Maximum number of chunks per batch, to bound the time for adding up their sizes: many chunks have only a few bytes.
 */
const CHUNKS_AT_ONCE = 500;
/** Enough for a search text of 200 characters, which may have more bytes in upper case. */
const CONTEXT_BYTES_BEFORE = 1024;

export async function readChunkBatch(
  tx: EntityManager,
  executionId: string,
  filters: OutputFilters,
  { from, max: limit }: { from: number; max: number },
): Promise<ChunkBatch> {
  const { stepKey, serverId, stream, q, regex } = filters;
  if (serverId !== undefined && !isId(serverId)) return { rows: [], bytes: 0, next: from, last: 0, end: true };
  // Must be read first. Chunks become visible in the order of their numbers, so none up to `last` is missed below.
  const numbers = await row(
    tx,
    sql<{ last: string | null }>`select max(seq) as last from output_chunks where execution_id = ${executionId}`,
  );
  const last = Number(numbers?.last ?? 0);
  if (from > last) return { rows: [], bytes: 0, next: from, last, end: true };
  // Chunks of one host and step are adjacent in an index, so they need no limit.
  const to = stepKey !== undefined && serverId !== undefined ? last : Math.min(last, from + MAX_SCANNED_CHUNKS - 1);
  const isRequested = sql.all([
    sql`execution_id = ${executionId} and seq between ${from} and ${to}`,
    ...(stepKey === undefined
      ? []
      : [
          sql`step_index = (select step_index from execution_steps where execution_id = ${executionId} and key = ${stepKey})`,
        ]),
    ...(serverId === undefined ? [] : [sql`server_id = ${serverId}`]),
    ...(stream === undefined ? [] : [sql`stream = ${stream === 'stdout' ? 1 : 2}`]),
  ]);
  const looked = await rows(
    tx,
    selectScannedChunksSql(isRequested, limit, q ? (regex ? [] : toSearchFragments(q)) : null),
  );
  const bytes = looked.reduce((sum, chunk) => sum + chunk.bytes, 0);
  const all = looked.length < CHUNKS_AT_ONCE && bytes < limit;
  const next = all ? to + 1 : Number(looked.at(-1)?.seq) + 1;
  return { rows: looked.filter(hasData), bytes, next, last, end: next > last };
}

const hasData = (chunk: ScannedChunkRow): chunk is ScannedChunkRow & NamedChunkRow => chunk.data !== null;

/**
 * Selects the few chunks first and joins the names afterwards. A direct join would read and sort all later chunks for
 * each batch.
 *
 * @param fragments texts of which a chunk must contain one; empty: any chunk; null: no search
 */
const selectScannedChunksSql = (
  isRequested: Sql,
  most: number,
  fragments: readonly string[] | null,
) => sql<ScannedChunkRow>`
  select ${CHUNK_POSITION_SQL}, c.step_index, c.run_line, octet_length(c.data) as bytes, ${fragments && fragments.length > 0 ? selectMatchingDataSql(fragments) : sql`c.data`} as data,
      ${fragments ? sql`b.before` : sql`null::bytea`} as before, h.name as server_name
    from (
      select *, sum(octet_length(data)) over (order by seq rows unbounded preceding) - octet_length(data) as bytes_before
        from output_chunks
        where ${isRequested}
        order by seq limit ${CHUNKS_AT_ONCE}
    ) c
    join execution_steps s on s.execution_id = c.execution_id and s.step_index = c.step_index
    join execution_hosts h on h.execution_id = c.execution_id and h.server_id = c.server_id
    ${fragments ? EARLIER_TEXT_SQL : sql.none}
    ${fragments && fragments.length > 0 ? SEARCHED_TEXT_SQL : sql.none}
    where c.bytes_before < ${most}
    order by c.seq`;

const EARLIER_TEXT_SQL = sql`left join lateral (
  select substring(p.data from greatest(octet_length(p.data) - ${sql.raw(`${CONTEXT_BYTES_BEFORE}`)} + 1, 1)) as before
    from (
      select data, open_ended, first_line + greatest(line_count - 1, 0) as last_line from output_chunks
        where c.continues and execution_id = c.execution_id and step_index = c.step_index and server_id = c.server_id
          and seq between c.seq - ${sql.raw(`${MAX_SCANNED_CHUNKS}`)} and c.seq - 1 and stream = c.stream
        order by seq desc limit 1
    ) p
    where p.open_ended and p.last_line = c.first_line) b on true`;

/**
 * Chunks without the search text stay in the database, because reading them costs memory and delays other requests.
 * `offset 0` prevents PostgreSQL from computing the text again for each trace.
 */
const SEARCHED_TEXT_SQL = sql`cross join lateral (select lower(encode(coalesce(b.before, '') || c.data, 'escape') collate "C") as text offset 0) t`;

const selectMatchingDataSql = (fragments: readonly string[]): Sql =>
  sql`case when (select bool_or(strpos(t.text, trace) > 0) from unnest(${fragments}::text[]) trace) then c.data end`;
