import type { OutputChunk } from './line-assembler.js';

/** A row of `output_chunks` as the readers see it. */
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
