import { bytes, plural } from '../../../../ui/format/format';

/** Line of the output of a run. */
export interface Line {
  stepKey: string;
  serverId: string;
  serverName: string;
  stream: 'stdout' | 'stderr';
  /** Line number on this host in this step, from 1. */
  number: number;
  text: string;
  /** Only the beginning of a very long line was loaded. */
  truncated?: true;
  at: string;
}

/** Output that exceeded the limit of the host and step. */
export interface DroppedOutput {
  /** Number of lines of which nothing was stored. */
  lines: number;
  bytes: number;
}

export const droppedText = (dropped: DroppedOutput): string =>
  dropped.lines === 0
    ? `${bytes(dropped.bytes)} of a line`
    : `${plural(dropped.lines, 'line')} (${bytes(dropped.bytes)})`;

/** Positions of lines from and to, both inclusive. */
export interface LineRange {
  from: number;
  to: number;
}

/** Lines that are hidden behind a line, or can be: equal ones, or those of a section. */
export interface HiddenLines {
  kind: 'equal' | 'section';
  /** Name of the section. */
  name?: string;
  /** Number of lines besides this one. */
  count: number;
  isOpen: boolean;
  /** Positions of which one records that the user opened or closed the lines. */
  toggles: LineRange;
}
