import type { OutputChunk } from './output-piece.js';

export interface OutputLine {
  line: number;
  /** Without the line end. Invalid UTF-8 is replaced by U+FFFD. */
  text: string;
  /** The line continues in a later chunk, or ended without a line end. */
  partial: boolean;
  /** The line began in an earlier chunk, which may have been dropped. */
  continues: boolean;
}

/** Splits a chunk into lines, in order. The parts of a long line add up to the line. */
export function listChunkLines(chunk: Pick<OutputChunk, 'firstLine' | 'continues' | 'data'>): OutputLine[] {
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
