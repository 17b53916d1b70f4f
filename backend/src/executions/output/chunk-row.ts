import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';
import { encodeByteaArray } from './bytea-array.js';
import type { OutputChunk } from './line-assembler.js';
import { CHUNK_BYTES } from './output-piece.js';

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
        (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
      select ${ref.tenantId}::uuid, ${ref.executionId}::uuid, ${before}::bigint + n, ${stepIndex}::int, server_id, stream,
          first_line, line_count, continues, open_ended, at, data
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
