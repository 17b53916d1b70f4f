import type { OutputChunk } from './output-piece.js';

/** A line of output as it is shown, or the part of it that one chunk holds. */
export interface OutputLine {
  line: number;
  /** Without its line end. Bytes that are not UTF-8 are shown as U+FFFD. */
  text: string;
  /** The line goes on in a later chunk, or ended without a line end. */
  partial: boolean;
  /** The line began in an earlier chunk (or its beginning was dropped). */
  continues: boolean;
}

/** The lines of a chunk, in order. Joining the texts of the parts of one line gives the line. */
export function linesOfChunk(chunk: Pick<OutputChunk, 'firstLine' | 'continues' | 'data'>): OutputLine[] {
  const lines: OutputLine[] = [];
  for (let from = 0; from < chunk.data.length; ) {
    const lineEnd = chunk.data.indexOf(0x0a, from);
    const partial = lineEnd < 0;
    const to = partial ? chunk.data.length : lineEnd;
    const text = chunk.data.toString('utf8', from, !partial && to > from && chunk.data[to - 1] === 0x0d ? to - 1 : to);
    lines.push({
      line: chunk.firstLine + lines.length,
      text,
      partial,
      continues: chunk.continues && lines.length === 0,
    });
    from = to + 1;
  }
  return lines;
}
