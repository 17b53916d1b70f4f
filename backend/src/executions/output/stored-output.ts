import type { EntityManager } from 'typeorm';
import { affected, sql, rows } from '../../common/database/sql.js';
import { type OutputChunk, NO_OUTPUT, type StoredOutput } from './line-assembler.js';
import { CHUNK_BYTES } from './output-piece.js';

const BYTEA_TYPE_OID = 17;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * Encodes byte strings as a PostgreSQL array in binary format, for a parameter of type `bytea[]`. For a plain array the
 * driver would write text: two hex digits per byte, copied several times.
 */
function encodeByteaArray(values: readonly Buffer[]): Buffer {
  const length = values.reduce((sum, value) => sum + LENGTH_BYTES + value.length, HEADER_BYTES);
  const bytes = Buffer.allocUnsafeSlow(length);
  // Header: number of dimensions, null flag, element type; then size and lower bound of the dimension
  let at = 0;
  for (const word of [1, 0, BYTEA_TYPE_OID, values.length, 1]) at = bytes.writeInt32BE(word, at);
  for (const value of values) {
    at = bytes.writeInt32BE(value.length, at);
    at += value.copy(bytes, at);
  }
  return bytes;
}

/** Highest line number at which a chunk may begin. Later lines have no number. */
const MAX_LINE_NUMBER = 2 ** 31 - 1 - CHUNK_BYTES;

export interface ChunkRow {
  seq: string;
  step_key: string;
  server_id: string;
  stream: 1 | 2;
  first_line: number;
  line_count: number;
  continues: boolean;
  open_ended: boolean;
  at: Date;
  data: Buffer;
}

/** All columns of `ChunkRow` except `data`. */
export const CHUNK_POSITION_SQL = sql`c.seq, s.key as step_key, c.server_id, c.stream, c.first_line, c.line_count, c.continues, c.open_ended, c.at`;

export const toChunk = (row: ChunkRow): OutputChunk => ({
  stream: row.stream === 1 ? 'stdout' : 'stderr',
  firstLine: row.first_line,
  lineCount: row.line_count,
  continues: row.continues,
  openEnded: row.open_ended,
  data: row.data,
  at: row.at.getTime(),
});

/** Stores chunks of several hosts in a step with one statement, with ascending numbers that start after `before`. */
export async function insertChunks(
  tx: EntityManager,
  ref: { tenantId: string; executionId: string },
  { stepIndex, before }: { stepIndex: number; before: number },
  chunks: readonly (OutputChunk & { serverId: string })[],
): Promise<void> {
  if (chunks.length === 0) return;
  await affected(
    tx,
    sql.prepared`insert into output_chunks
        (tenant_id, execution_id, seq, run_line, step_index, server_id, stream, first_line, line_count, continues, open_ended,
          at, data)
      select ${ref.tenantId}::uuid, ${ref.executionId}::uuid, ${before}::bigint + n,
          coalesce((select run_line + line_count from output_chunks where execution_id = ${ref.executionId}::uuid
              and seq = ${before}::bigint), 0) + sum(line_count) over (order by n) - line_count,
          ${stepIndex}::int, server_id, stream, first_line, line_count, continues, open_ended, at, data
        from unnest(${chunks.map((chunk) => chunk.serverId)}::uuid[],
            ${chunks.map((chunk) => (chunk.stream === 'stdout' ? 1 : 2))}::smallint[],
            ${chunks.map((chunk) => Math.min(chunk.firstLine, MAX_LINE_NUMBER))}::int[],
            ${chunks.map((chunk) => chunk.lineCount)}::int[], ${chunks.map((chunk) => chunk.continues)}::boolean[],
            ${chunks.map((chunk) => chunk.openEnded)}::boolean[],
            ${chunks.map((chunk) => new Date(chunk.at).toISOString())}::timestamptz[],
            ${encodeByteaArray(chunks.map((chunk) => chunk.data))}::bytea[])
          with ordinality as x (server_id, stream, first_line, line_count, continues, open_ended, at, data, n)`,
  );
}

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
