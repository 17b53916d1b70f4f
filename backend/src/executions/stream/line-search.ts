import type { OutputChunk } from '../output/output-piece.js';
import { listChunkLines, type OutputLine } from '../output/output-lines.js';

export type NumberedLine = OutputLine & { index: number };
/** `matchAt`: position of the match in the line, or shortly before. `match`: text that a pattern matched, if known. */
export type FoundLine = NumberedLine & { matchAt: number; match?: string };

export class LineSearch {
  private readonly needle: string;

  constructor(
    text: string,
    private readonly matchCase = false,
  ) {
    this.needle = this.fold(text);
  }

  /**
   * Returns the lines of the chunk that contain the text. The first line may have begun in an earlier chunk: if
   * `before` is the end of that chunk, a text that spans both chunks also matches.
   */
  findLines(chunk: Pick<OutputChunk, 'firstLine' | 'continues' | 'data'>, before: Buffer | null): FoundLine[] {
    const begun = chunk.continues && before ? this.getLineEnd(before) : '';
    // Avoids splitting into lines: most chunks do not contain the text.
    if (!(begun + this.fold(chunk.data.toString('utf8'))).includes(this.needle)) return [];
    return toNumberedLines(chunk).flatMap((line) => {
      const start = line.index === 0 ? begun : '';
      const matchAt = (start + this.fold(line.text)).indexOf(this.needle);
      return matchAt < 0 ? [] : [{ ...line, matchAt: Math.max(0, matchAt - start.length) }];
    });
  }

  /**
   * Returns the end of the unfinished line, one character shorter than the search text, so that it cannot match alone.
   */
  private getLineEnd(before: Buffer): string {
    const text = this.fold(getUnfinishedLine(before));
    return text.slice(Math.max(0, text.length - this.needle.length + 1));
  }

  private fold(text: string): string {
    return this.matchCase ? text : foldCase(text);
  }
}

/** Returns the beginning of the line that continues after these bytes. */
export const getUnfinishedLine = (bytes: Buffer): string =>
  bytes.subarray(bytes.lastIndexOf(0x0a) + 1).toString('utf8');

export const toNumberedLines = (chunk: Pick<OutputChunk, 'firstLine' | 'continues' | 'data'>): NumberedLine[] =>
  listChunkLines(chunk).map((line, index) => ({ ...line, index }));

/** Non-ASCII characters whose lower case is ASCII, as PostgreSQL escapes them. */
const ASCII_LOWERCASE_SOURCES = { k: '\\342\\204\\252', i: '\\304\\260' };

/**
 * Returns texts to search in the raw bytes of a chunk, in the form of PostgreSQL's `lower(encode(…, 'escape'))`. A
 * chunk that contains the search text, in any case, contains one of these texts. They only exclude chunks; an empty one
 * excludes none. {@link LineSearch} decides, because bytes may be invalid text and PostgreSQL lowers them differently.
 */
export function toSearchFragments(text: string): string[] {
  // eslint-disable-next-line no-control-regex -- all of ASCII but NUL, which is written like bytes beyond it
  const runs = foldCase(text).match(/[\x01-\x7f]+/g) ?? [''];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best));
  const others = Object.entries(ASCII_LOWERCASE_SOURCES).filter(([letter]) => longest.includes(letter));
  return [longest.replaceAll('\\', '\\\\'), ...others.map(([, trace]) => trace)];
}

/** Replaces the final sigma, because a search text does not show where its last word ends. */
const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');
