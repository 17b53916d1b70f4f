import type { OutputChunk } from './output-piece.js';

/** Stored content of an `output.appended` event: first and last chunk number, and the approximate size when sent. */
export interface OutputPointer {
  from: number;
  to: number;
  size: number;
}

/** Approximate maximum size of an event, in characters. An event with a single chunk may be larger. */
const MAX_EVENT_CHARACTERS = 256 * 1024;
/** Estimated characters per line in addition to its text: host, step, stream, number, time. */
const LINE_SIZE = 200;

/** Groups chunks that are stored together into events of limited size. Numbers the chunks from 1. */
export function createOutputPointers(chunks: readonly Pick<OutputChunk, 'data' | 'lineCount'>[]): OutputPointer[] {
  const pointers: OutputPointer[] = [];
  for (const [index, { data, lineCount }] of chunks.entries()) {
    const size = data.length + LINE_SIZE * Math.max(1, lineCount);
    const last = pointers.at(-1);
    if (last && last.size + size <= MAX_EVENT_CHARACTERS)
      Object.assign(last, { to: index + 1, size: last.size + size });
    else pointers.push({ from: index + 1, to: index + 1, size });
  }
  return pointers;
}
