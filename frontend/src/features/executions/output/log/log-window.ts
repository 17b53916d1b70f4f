import type { OutputWindow } from '../../../../api/types';
import type { DroppedOutput, Line } from '../lines/line';

export interface LogLine extends Line {
  /** Position in the selection: line number for a step on a host, otherwise number in the output of the run. */
  position: number;
  /** Output before this line that exceeded the output limit. */
  dropped?: DroppedOutput;
}

/** Consecutive part of a log. */
export interface LogWindow {
  lines: readonly LogLine[];
  /** Value of `before` for the preceding lines; null = there are none. */
  previous: number | null;
  /** Value of `from` for the following lines; null = there will be none. */
  next: number | null;
  /** Positions of the first and the last line of the log; 0 = no output. */
  first: number;
  last: number;
  /** Position of the earliest line without a line end, which may still grow; null = none. */
  open: number | null;
}

/** Lines to keep. Above it, those at the other end are released. */
const MAX_LINES = 6_000;
const MAX_CHARACTERS = 10_000_000;

export function toLogWindow(view: OutputWindow): LogWindow {
  const lines = view.blocks.flatMap(({ step, host, stream, position, line, lines: texts, at, dropped, truncated }) => {
    const { serverId = '', serverName = '' } = view.hosts[host] ?? {};
    return texts.map((text, index): LogLine => {
      const number = line + index;
      return {
        position: position + index,
        ...{ stepKey: view.steps[step] ?? '', serverId, serverName, stream, number, text, at },
        ...(dropped && index === 0 ? { dropped } : {}),
        ...(truncated?.includes(index) ? { truncated: true as const } : {}),
      };
    });
  });
  const open = view.blocks.find(({ partial }) => partial);
  const { previous, next, first, last } = view;
  return { lines, previous, next, first, last, open: open ? open.position + open.lines.length - 1 : null };
}

/** Adds the lines that precede a window. Releases lines at its end. */
export function prependLines(window: LogWindow, added: LogWindow): LogWindow {
  const begin = window.lines[0]?.position ?? Infinity;
  const all = [...added.lines.filter(({ position }) => position < begin), ...window.lines];
  const kept = all.slice(0, countWithinLimits(all));
  const released = all[kept.length];
  return {
    ...window,
    lines: kept,
    previous: added.previous,
    next: released ? released.position : window.next,
    last: Math.max(window.last, added.last),
    open: released && window.open !== null && window.open >= released.position ? null : (added.open ?? window.open),
  };
}

/**
 * Adds the lines that follow a window, and replaces those that were read again because they have grown. Releases lines
 * at its beginning.
 */
export function appendLines(window: LogWindow, added: LogWindow): LogWindow {
  const from = added.lines[0]?.position ?? Infinity;
  const before = window.lines.filter(({ position }) => position < from);
  const all = [...before, ...added.lines];
  const kept = all.slice(all.length - countWithinLimits(all.toReversed()));
  return {
    lines: kept,
    previous: kept.length < all.length ? (kept[0]?.position ?? null) : window.previous,
    next: added.next,
    first: window.first || added.first,
    last: Math.max(window.last, added.last),
    open: added.open,
  };
}

/** Where to continue reading: also the last lines again, if one of them may have grown. */
export const continueAt = ({ next, open, lines }: LogWindow): number | null =>
  next === null || open === null || open < (lines.at(-REREAD_LINES)?.position ?? 0) ? next : open;

/** Lines at the end among which unfinished ones are read again. */
const REREAD_LINES = 500;

export const hasLaterLines = ({ next, last }: LogWindow): boolean => next !== null && next <= last;

function countWithinLimits(lines: readonly LogLine[]): number {
  let characters = 0;
  for (const [index, { text }] of lines.entries()) {
    characters += text.length;
    if (index >= MAX_LINES || (index > 0 && characters > MAX_CHARACTERS)) return index;
  }
  return lines.length;
}
