import { describe, expect, it } from 'vitest';
import type { LogLine } from './log-window';
import { indexOfRow, toggledAt, toRows } from './log-rows';

const linesOf = (texts: string[], more: Partial<LogLine> = {}, from = 1): LogLine[] =>
  texts.map((text, index) => ({
    ...{ stepKey: 's', serverId: 'v', serverName: 'web-1', stream: 'stdout', at: '2026-03-14T02:00:00Z' },
    ...{ text, number: from + index, position: from + index, ...more },
  }));
const plain = { toggled: new Set<number>(), visible: null };
const rowsOf = (lines: LogLine[], options: Partial<Parameters<typeof toRows>[1]> = {}) =>
  toRows(lines, { ...plain, ...options }).map(({ line, position, last, hidden }) => [
    ...[line.text, position, last],
    ...(hidden ? [hidden.count, hidden.isOpen] : []),
  ]);

describe('equal lines', () => {
  const lines = linesOf(['a', 'wait', 'wait', 'wait', 'wait', 'wait', 'b']);

  it('are folded into the first one, with their number; line numbers stay', () => {
    expect(rowsOf(lines)).toEqual([
      ['a', 1, 1],
      ['wait', 2, 6, 4, false],
      ['b', 7, 7],
    ]);
  });

  it('are all visible when one is opened, linked, or few', () => {
    for (const options of [{ toggled: new Set([4]) }, { visible: { from: 5, to: 5 } }]) {
      const rows = rowsOf(lines, options);
      expect(rows.map(([, position]) => position)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(rows[1]).toEqual(['wait', 2, 2, 4, true]);
    }
    expect(rowsOf(linesOf(['x', 'x', 'x']))).toHaveLength(3);
  });

  it('are equal as displayed, and of one stream of a host without a gap', () => {
    expect(rowsOf(linesOf(['1%\rdone', '50%\rdone', 'done', '99%\rdone']))).toHaveLength(1);
    const [first, second, ...others] = linesOf(['x', 'x', 'x', 'x', 'x', 'x']) as [LogLine, LogLine, ...LogLine[]];
    for (const change of [
      { stream: 'stderr' as const },
      { serverId: 'w' },
      { stepKey: 't' },
      { dropped: { lines: 5, bytes: 9 } },
    ])
      expect(rowsOf([first, second, { ...others[0]!, ...change }, ...others.slice(1)]).length).toBeGreaterThan(1);
    expect(rowsOf(linesOf(['x', 'x', 'x', 'x'], { truncated: true }))).toHaveLength(4);
  });
});

it('what was opened closes again, although earlier equal lines were loaded since', () => {
  const opened = toggledAt(new Set(), { from: 7, to: 9 });
  expect([...opened]).toEqual([7]);
  expect([...toggledAt(opened, { from: 3, to: 9 })]).toEqual([]);
  expect([...toggledAt(opened, { from: 12, to: 12 })]).toEqual([7, 12]);
});

describe('sections', () => {
  const lines = linesOf(['::group::Build', 'one', 'two', '::endgroup::', 'after']);

  it('can be closed, and are open at first', () => {
    expect(rowsOf(lines)).toEqual([
      ['::group::Build', 1, 1, 3, true],
      ['one', 2, 2],
      ['two', 3, 3],
      ['::endgroup::', 4, 4],
      ['after', 5, 5],
    ]);
    expect(rowsOf(lines, { toggled: new Set([1]) })).toEqual([
      ['::group::Build', 1, 4, 3, false],
      ['after', 5, 5],
    ]);
    expect(toRows(lines, plain)[0]?.hidden?.name).toBe('Build');
  });

  it('stay open while a linked line is in them', () => {
    expect(rowsOf(lines, { toggled: new Set([1]), visible: { from: 3, to: 9 } })).toHaveLength(5);
    expect(rowsOf(lines, { toggled: new Set([1]), visible: { from: 1, to: 1 } })).toHaveLength(2);
  });

  it('cannot be closed before their end is loaded', () => {
    expect(rowsOf(lines.slice(0, 3), { toggled: new Set([1]) })).toHaveLength(3);
    expect(rowsOf(lines.slice(2), { toggled: new Set([1]) })).toHaveLength(3);
  });

  it('are of one host', () => {
    const mixed = lines.map((line, index) => (index === 2 ? { ...line, serverId: 'w' } : line));
    expect(rowsOf(mixed, { toggled: new Set([1]) })).toHaveLength(5);
  });

  it('end where the next one begins', () => {
    const two = linesOf(['::group::A', 'one', '::group::B', 'two', '::endgroup::']);
    expect(rowsOf(two, { toggled: new Set([1, 3]) })).toEqual([
      ['::group::A', 1, 2, 1, false],
      ['::group::B', 3, 5, 2, false],
    ]);
  });
});

describe('the row of a position', () => {
  it('is the one into which the line is folded, or the next one', () => {
    const rows = toRows(linesOf(['a', 'x', 'x', 'x', 'x', 'b'], {}, 10), plain);
    expect([1, 10, 13, 15, 99].map((position) => indexOfRow(rows, position))).toEqual([0, 0, 1, 2, 2]);
  });
});
