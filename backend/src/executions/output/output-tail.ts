import type { EntityManager } from 'typeorm';
import { linesOfChunk } from './output-lines.js';

/** Number of chunks to read for the end of an output. Each holds whole lines, unless a line is very long. */
const CHUNKS = 4;
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
export async function outputTails(
  tx: EntityManager,
  ref: { executionId: string },
  stepIndex: number,
  serverIds: readonly string[],
  limit: number,
): Promise<Map<string, string[]>> {
  const rows = await tx.query<Row[]>(
    `select c.* from unnest($3::uuid[]) as host (id)
      cross join lateral (
        select server_id, seq, first_line, continues, data from output_chunks
          where execution_id = $1 and step_index = $2 and server_id = host.id
          order by seq desc limit ${CHUNKS}) c
      order by c.seq`,
    [ref.executionId, stepIndex, serverIds],
  );
  const tails = new Map<string, { line: number; text: string }[]>();
  for (const { server_id: id, first_line: firstLine, continues, data } of rows) {
    const lines = tails.get(id) ?? [];
    for (const { line, text } of linesOfChunk({ firstLine, continues, data })) {
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
