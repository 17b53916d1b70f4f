import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../common/database/sql.js';
import { listChunkLines } from './output-lines.js';

/** Number of chunks to read for the end of an output. Each holds whole lines, unless a line is very long. */
const MAX_TAIL_CHUNKS = 4;
const MAX_LINE_CHARACTERS = 500;

interface Row {
  server_id: string;
  first_line: number;
  continues: boolean;
  data: Buffer;
}

/**
 * Returns the last output lines of a step on each host, over both streams, by server ID. Stored output is already
 * masked.
 * @param limit maximum number of lines per host
 */
export async function loadOutputTails(
  tx: EntityManager,
  ref: { executionId: string },
  stepIndex: number,
  serverIds: readonly string[],
  limit: number,
): Promise<Map<string, string[]>> {
  const chunks = await rows(
    tx,
    sql<Row>`select c.* from unnest(${serverIds}::uuid[]) as host (id)
      cross join lateral (
        select server_id, seq, first_line, continues, data from output_chunks
          where execution_id = ${ref.executionId} and step_index = ${stepIndex} and server_id = host.id
          order by seq desc limit ${MAX_TAIL_CHUNKS}) c
      order by c.seq`,
  );
  const tails = new Map<string, { line: number; text: string }[]>();
  for (const { server_id: id, first_line: firstLine, continues, data } of chunks) {
    const lines = tails.get(id) ?? [];
    for (const { line, text } of listChunkLines({ firstLine, continues, data })) {
      const begun = lines.find((each) => each.line === line);
      if (begun) begun.text += text;
      else lines.push({ line, text });
    }
    tails.set(id, lines);
  }
  return new Map(
    [...tails].map(([id, lines]) => [id, lines.slice(-limit).map(({ text }) => text.slice(0, MAX_LINE_CHARACTERS))]),
  );
}
