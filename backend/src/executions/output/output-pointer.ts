import type { OutputChunk } from './output-piece.js';

/** Stored content of an `output.appended` event: first and last chunk number, and approximate size when sent. */
export interface OutputPointer {
  from: number;
  to: number;
  size: number;
}

/** Approximate maximum size of an event, in characters; a single chunk may exceed it. */
const MAX_EVENT_CHARACTERS = 256 * 1024;
/** Characters per line besides its text: host, step, stream, number, time. */
const LINE_SIZE = 200;

/** Groups chunks that are stored together into events of limited size. Chunk numbers start at 1. */
export function outputPointers(chunks: readonly Pick<OutputChunk, 'data' | 'lineCount'>[]): OutputPointer[] {
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
