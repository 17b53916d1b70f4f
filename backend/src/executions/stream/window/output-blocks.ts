import type { OutputBlockView } from '../../contract/output-window.view.js';
import { listChunkLines } from '../../output/output-lines.js';
import type { WindowChunk } from './window-chunks.js';

/** Maximum length of a line in a window, in characters. */
const MAX_LINE_CHARACTERS = 16 * 1024;

export type OutputLinesBlock = Omit<OutputBlockView, 'step' | 'host'>;

/** Part of a chunk: positions of lines, both inclusive. */
export interface PositionRange {
  from: number;
  to: number;
}

/** Lines of the chunk at the positions in `range`, of which at least one must be in the chunk. */
export function toBlock(chunk: WindowChunk, range: PositionRange): OutputLinesBlock {
  const skipped = Math.max(0, range.from - chunk.position);
  const included = listChunkLines(chunk).slice(skipped, range.to - chunk.position + 1);
  const endsHere = range.to >= chunk.position + chunk.lineCount - 1;
  const texts = included.map(({ text }) => text);
  if (endsHere && chunk.rest) texts.push(joinRest(texts.pop() ?? '', chunk.rest, chunk.restEnd));
  const isLonger = (index: number) => endsHere && chunk.longer && index === texts.length - 1;
  const truncated = texts.flatMap((text, index) =>
    text.length > MAX_LINE_CHARACTERS || isLonger(index) ? [index] : [],
  );
  return {
    stream: chunk.stream,
    position: chunk.position + skipped,
    ...(chunk.runPosition === null ? {} : { runPosition: chunk.runPosition + skipped }),
    line: chunk.firstLine + skipped,
    at: chunk.at.toISOString(),
    lines: texts.map(shorten),
    ...(skipped === 0 && chunk.dropped ? { dropped: chunk.dropped } : {}),
    ...(skipped === 0 && chunk.continues ? { continues: true } : {}),
    ...(endsHere && chunk.openEnded && !chunk.longer && !chunk.rest?.includes(LF) ? { partial: true } : {}),
    ...(truncated.length > 0 ? { truncated } : {}),
  };
}

const LF = 0x0a;

/** Whether a later part of the line overwrites an earlier one on a terminal, as progress bars do. */
const overwritesItself = (text: string): boolean => text.includes('\r');

/** A progress bar is shortened to its latest part, any other line to its beginning. */
const shorten = (text: string): string =>
  overwritesItself(text) ? text.slice(-MAX_LINE_CHARACTERS) : text.slice(0, MAX_LINE_CHARACTERS);

function joinRest(beginning: string, rest: Buffer, restEnd: Buffer | null): string {
  const text = beginning + decodeRest(rest);
  return restEnd && overwritesItself(text) ? decodeRest(restEnd) : text;
}

/** Text of a line's continuation, without its line end. */
function decodeRest(rest: Buffer): string {
  const [line] = listChunkLines({ firstLine: 1, continues: true, data: rest });
  return line?.text ?? '';
}
