import type { OutputChunk } from './output-piece.js';

/** What an `output.appended` event is stored as: numbers of its first and last chunk, and about how long it is when sent. */
export interface OutputPointer {
  from: number;
  to: number;
  /** In characters. */
  size: number;
}

/** One event holds about so many characters at the most, unless a single chunk has more. */
const MOST_SIZE = 256 * 1024;
/** What a line costs besides its text: host, step, stream, number, time. */
const LINE_SIZE = 200;

/** Divides chunks that are stored together into events that a stream can send one by one. Chunks count from 1. */
export function outputPointers(chunks: readonly Pick<OutputChunk, 'data' | 'lineCount'>[]): OutputPointer[] {
  const pointers: OutputPointer[] = [];
  for (const [index, { data, lineCount }] of chunks.entries()) {
    const size = data.length + LINE_SIZE * Math.max(1, lineCount);
    const last = pointers.at(-1);
    if (last && last.size + size <= MOST_SIZE) Object.assign(last, { to: index + 1, size: last.size + size });
    else pointers.push({ from: index + 1, to: index + 1, size });
  }
  return pointers;
}
