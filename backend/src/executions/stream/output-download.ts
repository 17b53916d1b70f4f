import type { NamedChunkRow } from './chunk-portion.js';
import { toChunk } from '../output/chunk-row.js';
import { type LineSearch, type PlacedLine, placedLines } from './line-search.js';

/** The text of a chunk in a download. One host's output of one step is its exact bytes; a mix of several names each line's origin. */
export function downloadedText(row: NamedChunkRow, exact: boolean, search: LineSearch | null): Buffer | string {
  if (exact && !search) return row.data;
  const chunk = toChunk(row);
  const lines = search ? search.linesOf(chunk, row.before) : placedLines(chunk);
  return lines.map((line) => `${row.server_name} ${row.step_key} ${line.line}: ${line.text}\n`).join('');
}

/** Lines of a chunk that are written at a time: a chunk may hold thousands of empty ones, of which each takes its names along. */
const LINES_AT_ONCE = 200;

/** Lines of a chunk as JSON objects, with the fields that a page gives them. */
export function* jsonLines(place: object, lines: readonly PlacedLine[]): Generator<string, undefined, undefined> {
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE)
    yield lines
      .slice(from, from + LINES_AT_ONCE)
      .map(({ index: _, ...line }) => `${JSON.stringify({ ...place, ...line })}\n`)
      .join('');
}
