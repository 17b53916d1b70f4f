import type { NamedChunkRow } from './chunk-batch.js';
import { toChunk } from '../output/chunk-row.js';
import { type LineSearch, type NumberedLine, placedLines } from './line-search.js';

/**
 * Text of a chunk in a download. The output of one host in one step is exact bytes; a mix of several contains each
 * line's origin.
 */
export function downloadedText(row: NamedChunkRow, exact: boolean, search: LineSearch | null): Buffer | string {
  if (exact && !search) return row.data;
  const chunk = toChunk(row);
  const lines = search ? search.linesOf(chunk, row.before) : placedLines(chunk);
  return lines.map((line) => `${row.server_name} ${row.step_key} ${line.line}: ${line.text}\n`).join('');
}

/**
 * Number of lines written at a time: a chunk may contain thousands of empty lines, each of which is written with its
 * names.
 */
const LINES_AT_ONCE = 200;

/** Lines of a chunk as JSON objects, with the fields of a page. */
export function* jsonLines(place: object, lines: readonly NumberedLine[]): Generator<string, undefined, undefined> {
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE)
    yield lines
      .slice(from, from + LINES_AT_ONCE)
      .map(({ index: _, ...line }) => `${JSON.stringify({ ...place, ...line })}\n`)
      .join('');
}
