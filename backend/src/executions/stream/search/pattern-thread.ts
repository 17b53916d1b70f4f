/**
 * Runs in a worker thread, because the time of a match depends on the pattern and the text. Node.js loads this file
 * directly.
 */
import { RE2JS, RE2JSException } from 're2js';

export interface PatternRequest {
  pattern: string;
  matchCase: boolean;
  /** Lines by chunk. */
  chunks: readonly (readonly string[])[];
  /** Time after which no other chunk is searched, in ms. */
  maxMs: number;
  /** Whether the answer contains the matched texts. */
  withTexts: boolean;
}

export interface PatternMatch {
  chunk: number;
  line: number;
  /** Position of the match in the line, or shortly before. */
  at: number;
  /** First text of the line that the pattern matches; absent if finding it would take too long. */
  text?: string;
}

export type PatternAnswer =
  | { matches: PatternMatch[]; searchedChunks: number }
  /** `at`: number of the character in the pattern, from 1. */
  | { error: string; at: number };

/** Instructions of a compiled pattern. One of this size takes about a second for a part of a line of 16 KB. */
const MAX_PROGRAM = 2_000;
/** In characters. */
const EXCERPT = { length: 1_000, step: 500 };

export default function searchPattern({ pattern, matchCase, chunks, maxMs, withTexts }: PatternRequest): PatternAnswer {
  const until = performance.now() + maxMs;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, matchCase ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (error instanceof RE2JSException) return explainError(error, pattern);
    throw error;
  }
  if (compiled.programSize() > MAX_PROGRAM)
    return { error: 'the repetitions make the pattern too large', at: Math.max(1, pattern.indexOf('{') + 1) };
  const matches: PatternMatch[] = [];
  let searchedChunks = 0;
  for (const lines of chunks) {
    for (const [line, text] of lines.entries()) {
      if (!compiled.test(text)) continue;
      const at = locate(compiled, text);
      const isFindable = withTexts && performance.now() < until;
      matches.push({ chunk: searchedChunks, line, at, ...(isFindable ? findText(compiled, text, at) : {}) });
    }
    searchedChunks += 1;
    if (performance.now() >= until) break;
  }
  return { matches, searchedChunks };
}

/** Tests parts of the line: the exact position would need RE2's slow engine. */
function locate(pattern: RE2JS, text: string): number {
  for (let from = 0; from + EXCERPT.step < text.length; from += EXCERPT.step) {
    if (pattern.test(text.slice(from, from + EXCERPT.length))) return from;
  }
  return 0;
}

/** Uses RE2's slow engine, for an excerpt only. */
function findText(pattern: RE2JS, text: string, at: number): { text?: string } {
  const matcher = pattern.matcher(text.slice(at, at + EXCERPT.length));
  return matcher.find() ? { text: matcher.group() ?? '' } : {};
}

function explainError({ message }: RE2JSException, pattern: string): PatternAnswer {
  const [, error = message, part = ''] = /^error parsing regexp: (.*?)(?:: `([^]*)`)?$/.exec(message) ?? [];
  // RE2 names the part, not its position. It reads from left to right, so the part that it names is the first of its kind.
  const index = part === '' ? pattern.length - 1 : pattern.indexOf(part);
  return { error: part === '' || part === pattern ? error : `${error} ${part}`, at: Math.max(0, index) + 1 };
}
