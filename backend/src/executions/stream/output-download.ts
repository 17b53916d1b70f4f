import type { NamedChunkRow } from './chunk-batch.js';
import { toChunk } from '../output/stored-output.js';
import { type LineSearch, type NumberedLine, toNumberedLines } from './line-search.js';

/**
 * Returns the text of a chunk for a download. Output of one host in one step is returned as exact bytes. In a mix of
 * several, each line names its origin.
 */
export function toDownloadText(row: NamedChunkRow, isExact: boolean, search: LineSearch | null): Buffer | string {
  if (isExact && !search) return row.data;
  const chunk = toChunk(row);
  const lines = search ? search.findLines(chunk, row.before) : toNumberedLines(chunk);
  return lines.map((line) => `${row.server_name} ${row.step_key} ${line.line}: ${line.text}\n`).join('');
}

/** Lines written at a time. A chunk may contain thousands of empty lines, and each is written with its names. */
const LINES_AT_ONCE = 200;

export function* renderJsonLines(
  place: object,
  lines: readonly NumberedLine[],
): Generator<string, undefined, undefined> {
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE)
    yield lines
      .slice(from, from + LINES_AT_ONCE)
      .map(({ index: _, ...line }) => `${JSON.stringify({ ...place, ...line })}\n`)
      .join('');
}
