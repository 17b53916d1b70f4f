import type { OutputChunk } from '../output/output-piece.js';
import { linesOfChunk, type OutputLine } from '../output/output-lines.js';

/** A line of a chunk and its index in the chunk, from 0. */
export type NumberedLine = OutputLine & { index: number };

export class LineSearch {
  private readonly needle: string;

  constructor(text: string) {
    this.needle = folded(text);
  }

  /**
   * Lines of the chunk that contain the text. If its first line began in an earlier chunk whose end is known, that line
   * also matches when the text begins there and ends here.
   */
  linesOf(chunk: Pick<OutputChunk, 'firstLine' | 'continues' | 'data'>, before: Buffer | null): NumberedLine[] {
    const begun = chunk.continues && before ? this.endOf(before) : '';
    // Most chunks do not contain it and need not be split into lines.
    if (!(begun + folded(chunk.data.toString('utf8'))).includes(this.needle)) return [];
    return placedLines(chunk).filter(({ text, index }) =>
      (index === 0 ? begun + folded(text) : folded(text)).includes(this.needle),
    );
  }

  /** End of an unfinished line, too short to contain the whole text. */
  private endOf(before: Buffer): string {
    const text = folded(before.subarray(before.lastIndexOf(0x0a) + 1).toString('utf8'));
    return text.slice(Math.max(0, text.length - this.needle.length + 1));
  }
}

export const placedLines = (chunk: Pick<OutputChunk, 'firstLine' | 'continues' | 'data'>): NumberedLine[] =>
  linesOfChunk(chunk).map((line, index) => ({ ...line, index }));

/** Non-ASCII characters whose lower case is ASCII, in the notation of the database. */
const LOWERED_TO_ASCII = { k: '\\342\\204\\252', i: '\\304\\260' };

/**
 * Texts to search in the raw bytes of a chunk, as PostgreSQL's `lower(encode(…, 'escape'))` writes them: a chunk with
 * the search text in any case contains one of them. Bytes may be invalid text, and the database's lower case of all
 * bytes as text would differ from {@link LineSearch}. So traces only exclude chunks; an empty trace excludes none.
 */
export function rawTraces(text: string): string[] {
  // eslint-disable-next-line no-control-regex -- all of ASCII but NUL, which is written like bytes beyond it
  const runs = folded(text).match(/[\x01-\x7f]+/g) ?? [''];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best));
  const others = Object.entries(LOWERED_TO_ASCII).filter(([letter]) => longest.includes(letter));
  return [longest.replaceAll('\\', '\\\\'), ...others.map(([, trace]) => trace)];
}

/** The lower case of sigma differs at the end of a word; a search text does not show where its word ends. */
const folded = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
