import type { HostResult } from '../../../api/types';
import { duration } from '../../../ui/format/format';

/** `whole`: the connection and the run, whose times are not known separately. */
export type BarKind = 'waiting' | 'connecting' | 'retrying' | 'running' | 'whole';

/** Part of a row, as shares of the axis from 0 to 1. */
export interface Bar {
  kind: BarKind;
  from: number;
  to: number;
  ms: number;
}

/** Common time axis of the rows, in ms since the epoch. */
export interface Axis {
  from: number;
  to: number;
}

export const BAR_LABELS: Record<BarKind, string> = {
  waiting: 'Waiting',
  connecting: 'Connecting',
  retrying: 'Earlier attempts',
  running: 'Running',
  whole: 'Connecting and running',
};

/** Begin and end of a command that are closer than this were stored at the same time. */
const SHORT_MS = 10;

const timeOf = (iso: string | null | undefined): number | null => (iso ? Date.parse(iso) : null);

/**
 * Returns the axis of things that begin and end. An end before the beginning, or a beginning in the future, as after a
 * change of a clock, counts as no time.
 */
export function toAxis(startedAt: string | null, finishedAt: string | null, now: number): Axis {
  const from = timeOf(startedAt) ?? now;
  return { from, to: Math.max(from, timeOf(finishedAt) ?? now) };
}

/** @param to null = the end of the axis */
function toBar(kind: BarKind, axis: Axis, from: number, to: number | null): Bar[] {
  const length = axis.to - axis.from;
  const [start, end] = [from, to ?? axis.to].map((time) => Math.max(axis.from, Math.min(axis.to, time)));
  if (length <= 0 || start === undefined || end === undefined || end <= start) return [];
  return [{ kind, from: (start - axis.from) / length, to: (end - axis.from) / length, ms: end - start }];
}

type Times = Pick<HostResult, 'startedAt' | 'commandStartedAt' | 'finishedAt' | 'attempts' | 'status'>;

/** Returns what a host did in a step: it waited for its turn, connected, tried, ran. */
export function hostBars({ startedAt, commandStartedAt, finishedAt, attempts, status }: Times, axis: Axis): Bar[] {
  const [start, command, end] = [startedAt, commandStartedAt, finishedAt].map(timeOf) as [Time, Time, Time];
  if (start === null) return status === 'PENDING' ? toBar('waiting', axis, axis.from, null) : [];
  const before = attempts > 1 || (status === 'PENDING' && attempts > 0) ? 'retrying' : 'connecting';
  // Begin and end of a short command are stored together. Then, and for steps without a command, the time of the
  // connection is not known.
  const isShort = command !== null && end !== null && end - command < SHORT_MS;
  const isWhole = before === 'connecting' && (isShort || (command === null && status === 'SUCCEEDED'));
  const waiting = toBar('waiting', axis, axis.from, start);
  if (isWhole) return [...waiting, ...toBar('whole', axis, start, end)];
  return [
    ...waiting,
    ...toBar(before, axis, start, command ?? end),
    ...(command === null ? [] : toBar('running', axis, command, end)),
  ];
}

/** Returns the bar of something that began and ran. */
export const spanBars = (startedAt: string, finishedAt: string | null, axis: Axis): Bar[] =>
  toBar('running', axis, Date.parse(startedAt), timeOf(finishedAt));

type Time = number | null;

/** Example: "Waiting 1.2 s, connecting 300 ms, running 4.1 s, 2 attempts". */
export function barsText(bars: readonly Bar[], attempts = 1): string {
  const parts = bars.map(({ kind, ms }) => `${BAR_LABELS[kind].toLowerCase()} ${duration(ms)}`);
  if (attempts > 1) parts.push(`${attempts} attempts`);
  const text = parts.join(', ');
  return text === '' ? 'No time recorded' : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Place of the usual duration on the axis; null = unknown, or beyond the axis. */
export function usualShare(startedAt: string | null, medianMs: number | null, axis: Axis): number | null {
  const start = timeOf(startedAt);
  if (start === null || medianMs === null || axis.to <= axis.from) return null;
  const share = (Math.max(axis.from, start) + medianMs - axis.from) / (axis.to - axis.from);
  return share <= 1 ? share : null;
}
