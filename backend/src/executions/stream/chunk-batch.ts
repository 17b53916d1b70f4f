import type { EntityManager } from 'typeorm';
import { isId } from '../../common/ids.js';
import type { ListOutputQuery } from '../contract/queries.dto.js';
import { CHUNK_COLUMNS, type ChunkRow } from '../output/chunk-row.js';
import { toSearchFragments } from './line-search.js';

export type OutputFilters = Pick<ListOutputQuery, 'stepKey' | 'serverId' | 'stream' | 'q'>;

export type NamedChunkRow = ChunkRow & {
  server_name: string;
  /** End of the earlier chunk in which this chunk's first line began. Null: no such chunk, or no search is running. */
  before: Buffer | null;
};

type ScannedRow = Omit<NamedChunkRow, 'data'> & { bytes: number; data: Buffer | null };

export interface ChunkBatch {
  /** Chunks that may contain the search text. */
  rows: NamedChunkRow[];
  bytes: number;
  next: number;
  /** 0: the run has no chunk. */
  last: number;
  end: boolean;
}

const POSITION_COLUMNS = CHUNK_COLUMNS.replace(', c.data', '');
/**
 * Maximum number of chunks that one statement scans, to bound its duration: the filters may match none of a million
 * chunks.
 */
const SCANNED_CHUNKS = 20_000;
/**
 * Maximum number of chunks per batch, to bound the time for adding up their sizes: many chunks have only a few bytes.
 */
const CHUNKS_AT_ONCE = 500;
/** Enough for a search text of 200 characters, which may have more bytes in upper case. */
const BYTES_BEFORE = 1024;

export async function readChunkBatch(
  tx: EntityManager,
  executionId: string,
  filters: OutputFilters,
  { from, max: limit }: { from: number; max: number },
): Promise<ChunkBatch> {
  const { stepKey, serverId, stream, q } = filters;
  if (serverId !== undefined && !isId(serverId)) return { rows: [], bytes: 0, next: from, last: 0, end: true };
  // Must be read first. Chunks become visible in the order of their numbers, so none up to `last` is missed below.
  const [numbers] = await tx.query<{ last: string | null }[]>(
    'select max(seq) as last from output_chunks where execution_id = $1',
    [executionId],
  );
  const last = Number(numbers?.last ?? 0);
  if (from > last) return { rows: [], bytes: 0, next: from, last, end: true };
  // Chunks of one host and step are adjacent in an index, so they need no limit.
  const to = stepKey !== undefined && serverId !== undefined ? last : Math.min(last, from + SCANNED_CHUNKS - 1);
  const parameters = [
    executionId,
    from,
    to,
    stepKey ?? null,
    serverId ?? null,
    stream === undefined ? null : stream === 'stdout' ? 1 : 2,
    CHUNKS_AT_ONCE,
    limit,
  ];
  const looked = q
    ? await tx.query<ScannedRow[]>(SEARCH_SQL, [...parameters, toSearchFragments(q)])
    : await tx.query<ScannedRow[]>(READ, parameters);
  const bytes = looked.reduce((sum, row) => sum + row.bytes, 0);
  const all = looked.length < CHUNKS_AT_ONCE && bytes < limit;
  const next = all ? to + 1 : Number(looked.at(-1)?.seq) + 1;
  return { rows: looked.filter(hasData), bytes, next, last, end: next > last };
}

const hasData = (row: ScannedRow): row is ScannedRow & NamedChunkRow => row.data !== null;

/**
 * Selects the few chunks first and joins the names afterwards. A direct join would read and sort all later chunks for
 * each batch.
 */
const chunks = (data: string, before: string, joins = '') => `
  select ${POSITION_COLUMNS}, octet_length(c.data) as bytes, ${data} as data, ${before} as before, h.name as server_name
    from (
      select *, sum(octet_length(data)) over (order by seq rows unbounded preceding) - octet_length(data) as bytes_before
        from output_chunks
        where execution_id = $1 and seq between $2 and $3
          and ($4::text is null or step_index = (select step_index from execution_steps where execution_id = $1 and key = $4))
          and ($5::uuid is null or server_id = $5)
          and ($6::smallint is null or stream = $6)
        order by seq limit $7
    ) c
    join execution_steps s on s.execution_id = c.execution_id and s.step_index = c.step_index
    join execution_hosts h on h.execution_id = c.execution_id and h.server_id = c.server_id
    ${joins}
    where c.bytes_before < $8
    order by c.seq`;

const CHUNKS_BEFORE_SQL = `
  select substring(p.data from greatest(octet_length(p.data) - ${BYTES_BEFORE} + 1, 1)) as before
    from (
      select data, open_ended, first_line + greatest(line_count - 1, 0) as last_line from output_chunks
        where c.continues and execution_id = c.execution_id and step_index = c.step_index and server_id = c.server_id
          and seq between c.seq - ${SCANNED_CHUNKS} and c.seq - 1 and stream = c.stream
        order by seq desc limit 1
    ) p
    where p.open_ended and p.last_line = c.first_line`;

const READ = chunks('c.data', 'null');
/**
 * Chunks without the search text stay in the database, because reading them costs memory and delays other requests.
 * `offset 0` prevents PostgreSQL from computing the text again for each trace.
 */
const SEARCH_SQL = chunks(
  'case when (select bool_or(strpos(t.text, trace) > 0) from unnest($9::text[]) trace) then c.data end',
  'b.before',
  `left join lateral (${CHUNKS_BEFORE_SQL}) b on true
    cross join lateral (select lower(encode(coalesce(b.before, '') || c.data, 'escape') collate "C") as text offset 0) t`,
);
