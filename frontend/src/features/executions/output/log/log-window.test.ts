import { describe, expect, it } from 'vitest';
import type { OutputWindow } from '../../../../api/types';
import { appendLines, continueAt, hasLaterLines, type LogWindow, prependLines, toLogWindow } from './log-window';

type Block = OutputWindow['blocks'][number];
const block = (position: number, lines: string[], more: Partial<Block> = {}): Block => ({
  ...{ step: 0, host: 0, stream: 'stdout', position, line: position, lines, at: '2026-03-14T02:00:00Z' },
  ...more,
});
const view = (blocks: Block[], more: Partial<OutputWindow> = {}): LogWindow =>
  toLogWindow({
    ...{ steps: ['one'], hosts: [{ serverId: 'v1', serverName: 'web-1' }], blocks },
    ...{ previous: null, next: null, first: 1, last: 100_000, ...more },
  });
const numbered = (from: number, count: number) => Array.from({ length: count }, (_, index) => `line ${from + index}`);
const positions = ({ lines }: LogWindow) => lines.map(({ position }) => position);

describe('a window of a log', () => {
  it('has a line for each text of each block, with host, step and number', () => {
    const { lines } = view([block(1, ['a', 'b']), block(3, ['c'], { stream: 'stderr', line: 7 })]);
    expect(lines).toMatchObject([
      { position: 1, number: 1, text: 'a', serverName: 'web-1', stepKey: 'one', stream: 'stdout' },
      { position: 2, number: 2, text: 'b' },
      { position: 3, number: 7, text: 'c', stream: 'stderr' },
    ]);
  });

  it('says before which line output was dropped, and which text is incomplete', () => {
    const { lines } = view([block(5, ['a', 'b'], { dropped: { lines: 3, bytes: 90 }, truncated: [1] })]);
    expect(lines[0]).toMatchObject({ dropped: { lines: 3, bytes: 90 } });
    expect(lines[1]).toMatchObject({ truncated: true });
    expect(lines[1]).not.toHaveProperty('dropped');
  });

  it('grows in both directions without repeating a line', () => {
    const middle = view([block(10, ['a', 'b'])], { previous: 10, next: 12 });
    const earlier = prependLines(middle, view([block(8, ['x', 'y', 'a'])], { previous: 8 }));
    expect(positions(earlier)).toEqual([8, 9, 10, 11]);
    expect(earlier).toMatchObject({ previous: 8, next: 12 });
    const later = appendLines(earlier, view([block(12, ['c'])], { next: null, last: 12 }));
    expect(positions(later)).toEqual([8, 9, 10, 11, 12]);
    expect(hasLaterLines(later)).toBe(false);
  });

  it('releases lines at the other end, which can be read again', () => {
    let window = view([block(1, numbered(1, 4_000))], { next: 4_001 });
    window = appendLines(window, view([block(4_001, numbered(4_001, 4_000))], { next: 8_001 }));
    expect(window.lines).toHaveLength(6_000);
    expect(window).toMatchObject({ previous: 2_001, next: 8_001 });
    window = prependLines(window, view([block(1, numbered(1, 2_000))], { previous: null }));
    expect(window.lines).toHaveLength(6_000);
    expect(window).toMatchObject({ previous: null, next: 6_001 });
    expect(hasLaterLines(window)).toBe(true);
  });

  it('releases few but very long lines too, except the last one read', () => {
    const long = (from: number) => view([block(from, ['x'.repeat(6_000_000)])], { next: from + 1 });
    const window = appendLines(appendLines(long(1), long(2)), view([block(3, ['y'.repeat(20_000_000)])]));
    expect(positions(window)).toEqual([3]);
    expect(window.previous).toBe(3);
  });

  it('reads a line without a line end again, and replaces it', () => {
    const window = view([block(1, ['a', 'prog'], { partial: true })], { next: 3, last: 2 });
    expect(continueAt(window)).toBe(2);
    const grown = appendLines(window, view([block(2, ['progress', 'c'])], { next: 4, last: 3 }));
    expect(grown.lines.map(({ text }) => text)).toEqual(['a', 'progress', 'c']);
    expect(continueAt(grown)).toBe(4);
  });

  it('does not read many lines again for one that stays open', () => {
    const window = view([block(1, ['a'], { partial: true }), block(2, numbered(2, 2_000))], { next: 2_002 });
    expect(continueAt(window)).toBe(2_002);
  });
});
