import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../common/database/sql.js';
import type { OutputContextLineView } from '../../contract/output-hits.view.js';
import { listChunkLines } from '../../output/output-lines.js';

const MAX_CONTEXT_CHARACTERS = 500;
/** Size of the chunks to read for the context of all hits, in bytes. */
const MAX_CONTEXT_BYTES = 4 * 1024 * 1024;

/** Line of a step on a host. */
export interface LinePlace {
  step_index: number;
  server_id: string;
  line: number;
}

export interface LineContext {
  before: OutputContextLineView[];
  after: OutputContextLineView[];
  /** Position in the output of the run; null = not known. */
  position: number | null;
}

interface Row {
  step_index: number;
  server_id: string;
  stream: 1 | 2;
  first_line: number;
  run_line: string;
  continues: boolean;
  data: Buffer;
}

/** Reads `context` lines before and after each line, in the order of `places`. */
export async function readContexts(
  tx: EntityManager,
  executionId: string,
  places: readonly LinePlace[],
  context: number,
): Promise<LineContext[]> {
  const chunks = await readChunksAround(tx, executionId, places, context);
  const cells = new Map<string, Map<number, OutputContextLineView & { position: number }>>();
  for (const chunk of chunks) {
    const key = cellKey(chunk);
    const lines = cells.get(key) ?? new Map<number, OutputContextLineView & { position: number }>();
    cells.set(key, lines);
    const stream = chunk.stream === 1 ? 'stdout' : 'stderr';
    listChunkLines({ firstLine: chunk.first_line, continues: chunk.continues, data: chunk.data }).forEach(
      ({ line, text }, index) => lines.set(line, { line, stream, text, position: Number(chunk.run_line) + index + 1 }),
    );
  }
  return places.map((place) => {
    const lines = cells.get(cellKey(place));
    const listLines = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => lines?.get(from + index))
        .filter((line) => line !== undefined)
        .map(({ line, stream, text }) => ({ line, stream, text: text.slice(0, MAX_CONTEXT_CHARACTERS) }));
    return {
      before: listLines(place.line - context, place.line - 1),
      after: listLines(place.line + 1, place.line + context),
      position: lines?.get(place.line)?.position ?? null,
    };
  });
}

const cellKey = ({ step_index, server_id }: Pick<LinePlace, 'step_index' | 'server_id'>) =>
  `${step_index} ${server_id}`;

/** Chunks in which lines begin that are at most `context` lines away. Each chunk once, although hits share chunks. */
const readChunksAround = (
  tx: EntityManager,
  executionId: string,
  places: readonly LinePlace[],
  context: number,
): Promise<Row[]> =>
  rows(
    tx,
    sql<Row>`select step_index, server_id, stream, first_line, run_line, continues, data from (
      select c.*, sum(octet_length(c.data)) over (order by c.seq rows between unbounded preceding and 1 preceding) as bytes_before
        from (
          select distinct around.seq
            from unnest(${places.map(({ step_index }) => step_index)}::int[],
                ${places.map(({ server_id }) => server_id)}::uuid[],
                ${places.map(({ line }) => line)}::int[]) as place (step_index, server_id, line)
            cross join lateral (
              (select seq from output_chunks
                where execution_id = ${executionId} and step_index = place.step_index and server_id = place.server_id
                  and first_line <= place.line - ${context}::int and line_count > 0
                order by first_line desc limit 1)
              union all
              (select seq from output_chunks
                where execution_id = ${executionId} and step_index = place.step_index and server_id = place.server_id
                  and first_line > place.line - ${context}::int and first_line <= place.line + ${context}::int
                  and line_count > 0
                order by first_line limit ${2 * context + 1})) around) found
        join output_chunks c on c.execution_id = ${executionId} and c.seq = found.seq) measured
      where coalesce(bytes_before, 0) < ${MAX_CONTEXT_BYTES}`,
  );
