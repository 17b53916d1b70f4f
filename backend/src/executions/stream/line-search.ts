import type { OutputChunk } from '../output/output-piece.js';
import { linesOfChunk, type OutputLine } from '../output/output-lines.js';

/** A line of a chunk and its place among them, from 0. */
export type PlacedLine = OutputLine & { index: number };

/** Finds lines that hold a text, upper and lower case alike. */
export class LineSearch {
  private readonly needle: string;

  constructor(text: string) {
    this.needle = folded(text);
  }

  /**
   * The lines of a chunk that hold the text. Where the first of them began in an earlier chunk whose end is known, also
   * when the text begins there and ends here.
   */
  linesOf(chunk: Pick<OutputChunk, 'firstLine' | 'continues' | 'data'>, before: Buffer | null): PlacedLine[] {
    const begun = chunk.continues && before ? this.endOf(before) : '';
    // Most chunks hold it nowhere, and are not worth being taken apart.
    if (!(begun + folded(chunk.data.toString('utf8'))).includes(this.needle)) return [];
    return placedLines(chunk).filter(({ text, index }) =>
      (index === 0 ? begun + folded(text) : folded(text)).includes(this.needle),
    );
  }

  /** The end of an unfinished line, too short to hold the text by itself. */
  private endOf(before: Buffer): string {
    const text = folded(before.subarray(before.lastIndexOf(0x0a) + 1).toString('utf8'));
    return text.slice(Math.max(0, text.length - this.needle.length + 1));
  }
}

export const placedLines = (chunk: Pick<OutputChunk, 'firstLine' | 'continues' | 'data'>): PlacedLine[] =>
  linesOfChunk(chunk).map((line, index) => ({ ...line, index }));

/** Characters beyond ASCII that are lowered to ones in it, as the database writes their bytes. */
const LOWERED_TO_ASCII = { k: '\\342\\204\\252', i: '\\304\\260' };

/**
 * What to look for in the raw bytes of a chunk, as PostgreSQL's `lower(encode(…, 'escape'))` writes them: whoever holds the
 * text in some way of writing it, holds one of these. Bytes need not be text in any encoding, and lowering them all as
 * text would be another than {@link LineSearch} does, so this only rules out; an empty trace rules out nothing.
 */
export function rawTraces(text: string): string[] {
  // eslint-disable-next-line no-control-regex -- all of ASCII but NUL, which is written like bytes beyond it
  const runs = folded(text).match(/[\x01-\x7f]+/g) ?? [''];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best));
  const others = Object.entries(LOWERED_TO_ASCII).filter(([letter]) => longest.includes(letter));
  return [longest.replaceAll('\\', '\\\\'), ...others.map(([, trace]) => trace)];
}

/** A sigma is lowered to another letter at the end of a word than within it; a search can't know where its word ends. */
const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
