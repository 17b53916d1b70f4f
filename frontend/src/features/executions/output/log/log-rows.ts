import { lastState } from '../../../../ui/format/last-state';
import type { HiddenLines, LineRange } from '../lines/line';
import type { LogLine } from './log-window';

/** Row of the view: a line, and those that are folded into it. */
export interface LogRow {
  line: LogLine;
  /** Position of the line. */
  position: number;
  /** Position of the last line in the row. */
  last: number;
  hidden?: HiddenLines;
}

export interface RowOptions {
  /** Positions of lines whose folds and sections the user opened or closed. */
  toggled: ReadonlySet<number>;
  /** Lines that are always visible. */
  visible: LineRange | null;
}

/** Equal lines that are folded, at least. */
const MIN_EQUAL_LINES = 4;
const SECTION_START = /^::group::(.*)$/;
const SECTION_END = /^::endgroup::\s*$/;

/**
 * Folds equal consecutive lines, and makes sections of the lines between `::group::NAME` and `::endgroup::`. Lines keep
 * their numbers. A section whose end is not loaded cannot be closed, so hidden lines never cause endless loading.
 */
export function toRows(lines: readonly LogLine[], { toggled, visible }: RowOptions): LogRow[] {
  const ends = findSectionEnds(lines);
  const rows: LogRow[] = [];
  for (let index = 0; index < lines.length; ) {
    const line = lines[index] as LogLine;
    const { position } = line;
    const end = ends.get(index);
    if (end !== undefined) {
      const last = (lines[end] as LogLine).position;
      const isOpen = !toggled.has(position) || overlaps(visible, position + 1, last);
      const name = SECTION_START.exec(displayedText(line))?.[1]?.trim() || 'Section';
      const hidden = {
        kind: 'section',
        name,
        count: end - index,
        isOpen,
        toggles: { from: position, to: position },
      } as const;
      rows.push({ line, position, last: isOpen ? position : last, hidden });
      index = isOpen ? index + 1 : end + 1;
      continue;
    }
    const next = endOfEqualLines(lines, index);
    const last = (lines[next - 1] as LogLine).position;
    if (next - index < MIN_EQUAL_LINES) {
      rows.push({ line, position, last: position });
      index += 1;
      continue;
    }
    const isOpen = isToggled(toggled, { from: position, to: last }) || overlaps(visible, position + 1, last);
    const hidden = { kind: 'equal', count: next - index - 1, isOpen, toggles: { from: position, to: last } } as const;
    rows.push({ line, position, last: isOpen ? position : last, hidden });
    if (isOpen)
      for (const other of lines.slice(index + 1, next))
        rows.push({ line: other, position: other.position, last: other.position });
    index = next;
  }
  return rows;
}

const isSameOrigin = (line: LogLine, other: LogLine): boolean =>
  line.serverId === other.serverId && line.stepKey === other.stepKey;

const displayedText = ({ text }: LogLine): string => lastState(text);

const overlaps = (range: LineRange | null, from: number, to: number): boolean =>
  range !== null && range.from <= to && range.to >= from;

/** The user may have opened equal lines before the first of them was loaded. */
function isToggled(toggled: ReadonlySet<number>, { from, to }: LineRange): boolean {
  for (const position of toggled) if (position >= from && position <= to) return true;
  return false;
}

/** Opens what is closed, and closes what is open. */
export function toggledAt(toggled: ReadonlySet<number>, range: LineRange): ReadonlySet<number> {
  if (!isToggled(toggled, range)) return new Set([...toggled, range.from]);
  return new Set([...toggled].filter((position) => position < range.from || position > range.to));
}

/** Returns the index of the last line of each section whose end is loaded, by the index of its first line. */
function findSectionEnds(lines: readonly LogLine[]): Map<number, number> {
  const ends = new Map<number, number>();
  let start: number | null = null;
  for (const [index, line] of lines.entries()) {
    // Lines of several hosts are mixed: none of them is hidden in the section of another one.
    if (start !== null && !isSameOrigin(line, lines[start] as LogLine)) start = null;
    if (!line.text.startsWith('::')) continue;
    if (SECTION_START.test(line.text)) {
      if (start !== null && index - start > 1) ends.set(start, index - 1);
      start = index;
    } else if (start !== null && SECTION_END.test(line.text)) {
      ends.set(start, index);
      start = null;
    }
  }
  return ends;
}

/** Returns the index after the last line that equals the one at `index` and follows it without a gap. */
function endOfEqualLines(lines: readonly LogLine[], index: number): number {
  const first = lines[index] as LogLine;
  const text = displayedText(first);
  let next = index + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] as LogLine;
    if (displayedText(line) !== text || line.stream !== first.stream) break;
    if (line.dropped || line.truncated || first.truncated) break;
    if (!isSameOrigin(line, first)) break;
  }
  return next;
}

/** Returns the index of the row with the line at a position, or of the next one; -1 = there is none. */
export function indexOfRow(rows: readonly LogRow[], position: number): number {
  const index = rows.findIndex(({ last }) => last >= position);
  return index === -1 ? rows.length - 1 : index;
}
