import type { EntityManager } from 'typeorm';
import { prepared } from '../../common/database/prepared.js';
import { byteaArray } from './bytea-array.js';
import type { OutputChunk } from './line-assembler.js';
import { CHUNK_BYTES } from './output-piece.js';

/** Highest line number at which a chunk may begin. Later lines have no number. */
const LAST_LINE = 2 ** 31 - 1 - CHUNK_BYTES;

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

export const CHUNK_COLUMNS = `c.seq, s.key as step_key, c.server_id, c.stream, c.first_line, c.line_count, c.continues, c.open_ended, c.at, c.data`;

export const toChunk = (row: ChunkRow): OutputChunk => ({
  stream: row.stream === 1 ? 'stdout' : 'stderr',
  firstLine: row.first_line,
  lineCount: row.line_count,
  continues: row.continues,
  openEnded: row.open_ended,
  data: row.data,
  at: row.at.getTime(),
});

const INSERT = prepared(
  `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
  select $1, $2, $3 + n, $4, server_id, stream, first_line, line_count, continues, open_ended, at, data
  from unnest($5::uuid[], $6::smallint[], $7::int[], $8::int[], $9::boolean[], $10::boolean[], $11::timestamptz[], $12::bytea[])
    with ordinality as x (server_id, stream, first_line, line_count, continues, open_ended, at, data, n)`,
);

/** Stores chunks of several hosts in a step with one statement, with ascending numbers that start after `before`. */
export async function insertChunks(
  tx: EntityManager,
  ref: { tenantId: string; executionId: string },
  { stepIndex, before }: { stepIndex: number; before: number },
  chunks: readonly (OutputChunk & { serverId: string })[],
): Promise<void> {
  if (chunks.length === 0) return;
  await tx.query(INSERT, [
    ref.tenantId,
    ref.executionId,
    before,
    stepIndex,
    chunks.map((chunk) => chunk.serverId),
    chunks.map((chunk) => (chunk.stream === 'stdout' ? 1 : 2)),
    chunks.map((chunk) => Math.min(chunk.firstLine, LAST_LINE)),
    chunks.map((chunk) => chunk.lineCount),
    chunks.map((chunk) => chunk.continues),
    chunks.map((chunk) => chunk.openEnded),
    chunks.map((chunk) => new Date(chunk.at).toISOString()),
    byteaArray(chunks.map((chunk) => chunk.data)),
  ]);
}
