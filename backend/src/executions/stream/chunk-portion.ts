import type { EntityManager } from 'typeorm';
import { isId } from '../../common/ids.js';
import type { ListOutputQuery } from '../contract/queries.dto.js';
import { CHUNK_COLUMNS, type ChunkRow } from '../output/chunk-row.js';
import { rawTraces } from './line-search.js';

export type OutputFilters = Pick<ListOutputQuery, 'stepKey' | 'serverId' | 'stream' | 'q'>;

export type NamedChunkRow = ChunkRow & {
  server_name: string;
  /** The end of the chunk in which the first line of this one began; null unless a text is searched and there is one. */
  before: Buffer | null;
};

type LookedAtRow = Omit<NamedChunkRow, 'data'> & { bytes: number; data: Buffer | null };

/** A piece of a run's stored output, in order. */
export interface ChunkPortion {
  /** Without chunks that certainly don't hold the text that is searched. */
  rows: NamedChunkRow[];
  /** Size of all chunks that were looked at. */
  bytes: number;
  /** Number of the chunk to go on with. */
  next: number;
  /** Number of the last chunk that the run has, whatever the filters; 0 when it has none. */
  last: number;
  /** Nothing was stored behind what was looked at. */
  end: boolean;
}

const PLACE_COLUMNS = CHUNK_COLUMNS.replace(', c.data', '');
/**
 * How many chunks one statement looks at for those that the filters leave. A filter may leave none of a million, and a
 * statement must be over soon.
 */
const CHUNKS_LOOKED_AT = 20_000;
/** Most chunks of one portion: many are a few bytes only, and to count the bytes of these all costs time. */
const CHUNKS_AT_ONCE = 500;
/** A text that is searched is 200 characters at most; the same text in capitals may have more bytes. */
const BYTES_BEFORE = 1024;

/** Looks at chunks from number `from` on, up to about so many bytes of them. */
export async function readPortion(
  tx: EntityManager,
  executionId: string,
  filters: OutputFilters,
  { from, most }: { from: number; most: number },
): Promise<ChunkPortion> {
  const { stepKey, serverId, stream, q } = filters;
  if (serverId !== undefined && !isId(serverId)) return { rows: [], bytes: 0, next: from, last: 0, end: true };
  // Read first: chunks come into sight in the order of their numbers, so none up to here is missed below.
  const [numbers] = await tx.query<{ last: string | null }[]>(
    'select max(seq) as last from output_chunks where execution_id = $1',
    [executionId],
  );
  const last = Number(numbers?.last ?? 0);
  if (from > last) return { rows: [], bytes: 0, next: from, last, end: true };
  // Chunks of one host and step stand together in an index.
  const to = stepKey !== undefined && serverId !== undefined ? last : Math.min(last, from + CHUNKS_LOOKED_AT - 1);
  const parameters = [
    executionId,
    from,
    to,
    stepKey ?? null,
    serverId ?? null,
    stream === undefined ? null : stream === 'stdout' ? 1 : 2,
    CHUNKS_AT_ONCE,
    most,
  ];
  const looked = q
    ? await tx.query<LookedAtRow[]>(SEARCH, [...parameters, rawTraces(q)])
    : await tx.query<LookedAtRow[]>(READ, parameters);
  const bytes = looked.reduce((sum, row) => sum + row.bytes, 0);
  const all = looked.length < CHUNKS_AT_ONCE && bytes < most;
  const next = all ? to + 1 : Number(looked.at(-1)?.seq) + 1;
  return { rows: looked.filter(hasData), bytes, next, last, end: next > last };
}

const hasData = (row: LookedAtRow): row is LookedAtRow & NamedChunkRow => row.data !== null;

/** Takes the few chunks first and their names afterwards: joined at once, all that follow are read and sorted for each portion. */
const chunks = (data: string, before: string, joins = '') => `
  select ${PLACE_COLUMNS}, octet_length(c.data) as bytes, ${data} as data, ${before} as before, h.name as server_name
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

const BEFORE = `
  select substring(p.data from greatest(octet_length(p.data) - ${BYTES_BEFORE} + 1, 1)) as before
    from (
      select data, open_ended, first_line + greatest(line_count - 1, 0) as last_line from output_chunks
        where c.continues and execution_id = c.execution_id and step_index = c.step_index and server_id = c.server_id
          and seq between c.seq - ${CHUNKS_LOOKED_AT} and c.seq - 1 and stream = c.stream
        order by seq desc limit 1
    ) p
    where p.open_ended and p.last_line = c.first_line`;

const READ = chunks('c.data', 'null');
/**
 * Most chunks hold nothing of what is searched, and stay in the database: reading them here costs memory and holds up
 * others. `offset 0` keeps the text from being made anew for each trace.
 */
const SEARCH = chunks(
  'case when (select bool_or(strpos(t.text, trace) > 0) from unnest($9::text[]) trace) then c.data end',
  'b.before',
  `left join lateral (${BEFORE}) b on true
    cross join lateral (select lower(encode(coalesce(b.before, '') || c.data, 'escape') collate "C") as text offset 0) t`,
);
