import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../common/database/sql.js';
import { NO_OUTPUT, type StoredOutput } from './line-assembler.js';

interface Row {
  server_id: string;
  stream: 1 | 2;
  bytes: string;
  lines: number;
  last_line: number;
  open_ended: boolean;
}

export async function loadStoredOutput(
  tx: EntityManager,
  ref: { executionId: string },
  stepIndex: number,
  serverIds: readonly string[],
): Promise<Map<string, StoredOutput>> {
  if (serverIds.length === 0) return new Map();
  const found = await rows(
    tx,
    sql<Row>`select server_id, stream, sum(octet_length(data)) as bytes, max(last_line) as lines,
        (array_agg(last_line order by seq desc))[1] as last_line, (array_agg(open_ended order by seq desc))[1] as open_ended
      from (select *, first_line + greatest(line_count - 1, 0) as last_line from output_chunks
        where execution_id = ${ref.executionId} and step_index = ${stepIndex} and server_id = any (${serverIds})) c
      group by server_id, stream`,
  );
  const stored = new Map<string, StoredOutput>();
  for (const row of found) {
    const { lines, bytes, openLine } = stored.get(row.server_id) ?? NO_OUTPUT;
    const stream = row.stream === 1 ? 'stdout' : 'stderr';
    stored.set(row.server_id, {
      lines: Math.max(lines, row.lines),
      bytes: { ...bytes, [stream]: Number(row.bytes) },
      openLine: { ...openLine, [stream]: row.open_ended ? row.last_line : 0 },
    });
  }
  return stored;
}
