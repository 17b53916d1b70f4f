import { toHarmless } from '../../terminal/harmless.ts';
import type { Output } from '../../terminal/output.ts';
import type { RunEvent } from './events.ts';

type OutputLinePart = NonNullable<RunEvent['data']['lines']>[number];

export interface OutputLine {
  serverId: string;
  stepKey: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Formats a line with the mark of its stream: `|` for standard output, `!` for standard error. */
export function formatOutputLine(
  out: Output,
  prefix: string,
  { stream, text }: Pick<OutputLine, 'stream' | 'text'>,
): string {
  const mark = stream === 'stderr' ? out.paint('red', '!') : '|';
  return `${prefix} ${mark} ${toHarmless(text, out.isColoured)}`;
}

const MAX_LINE_LENGTH = 65_536;

export class OutputLineAssembler {
  readonly #open = new Map<string, { line: number; whole: OutputLine }>();

  /** Adds a part. Returns the lines that are complete. */
  add(part: OutputLinePart): OutputLine[] {
    const { serverId, stepKey, stream, text, line, partial } = part;
    const key = `${serverId} ${stream} ${stepKey}`;
    const open = this.#open.get(key);
    const ready: OutputLine[] = [];
    // A new line began, although the end of the previous line was never received.
    if (open !== undefined && open.line !== line) ready.push(open.whole);
    const before = open !== undefined && open.line === line ? open.whole.text : '';
    const whole: OutputLine = { serverId, stepKey, stream, text: before + text };
    if (partial && whole.text.length < MAX_LINE_LENGTH) {
      this.#open.set(key, { line, whole });
      return ready;
    }
    this.#open.delete(key);
    return [...ready, whole];
  }

  /** Ends unfinished lines: those of one host in one step, or all. */
  end(serverId?: string, stepKey?: string): OutputLine[] {
    const ended: OutputLine[] = [];
    for (const [key, { whole }] of this.#open) {
      if (serverId !== undefined && (whole.serverId !== serverId || whole.stepKey !== stepKey)) continue;
      this.#open.delete(key);
      if (whole.text !== '') ended.push(whole);
    }
    return ended;
  }
}
