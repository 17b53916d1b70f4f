import { describe, expect, it } from 'vitest';
import type { OutputItem, OutputPage } from '../../../../api/types';
import { NO_OUTPUT, type OutputCapacity, outputReducer, type OutputState } from './run-output.reducer';

const item = (line: number, text: string, more: Partial<OutputItem> = {}): OutputItem => ({
  stepKey: 'build',
  serverId: 's1',
  serverName: 'web-1',
  stream: 'stdout',
  line,
  text,
  partial: false,
  continues: false,
  at: '2026-01-01T00:00:00Z',
  ...more,
});
const lines = (from: number, count: number, text = 'x') =>
  Array.from({ length: count }, (_, index) => item(from + index, text));
function read(
  state: OutputState,
  items: OutputItem[],
  page: Partial<OutputPage> = {},
  outputCapacity?: OutputCapacity,
) {
  const action = { type: 'page', page: { items, nextAfter: 'c', readPercent: 100, ...page }, spent: false } as const;
  return outputReducer(state, action, outputCapacity);
}
const texts = (state: OutputState) => state.lines.map(({ text }) => text);

describe('output that is read page by page', () => {
  it('keeps the lines in their order', () => {
    const state = read(read(NO_OUTPUT, [item(1, 'a')]), [item(2, 'b'), item(1, 'c', { serverId: 's2' })]);
    expect(texts(state)).toEqual(['a', 'b', 'c']);
    expect(state.characters).toBe(3);
  });

  it('appends the rest of a line to its beginning, also after lines of other hosts', () => {
    let state = read(NO_OUTPUT, [item(1, 'hel', { partial: true }), item(1, 'other', { serverId: 's2' })]);
    state = read(state, [item(1, 'lo ', { partial: true, continues: true })]);
    state = read(state, [item(1, 'world', { continues: true }), item(2, 'next')]);
    expect(texts(state)).toEqual(['hello world', 'other', 'next']);
    expect(state.open.size).toBe(0);
    expect(state.characters).toBe('hello world'.length + 'other'.length + 'next'.length);
  });

  it('does not mix the streams, steps and hosts that have a line of the same number', () => {
    const beginnings = [
      item(1, 'a', { partial: true }),
      item(1, 'b', { partial: true, stream: 'stderr' }),
      item(1, 'c', { partial: true, stepKey: 'test' }),
    ];
    const state = read(read(NO_OUTPUT, beginnings), [item(1, '!', { continues: true, stream: 'stderr' })]);
    expect(texts(state)).toEqual(['a', 'b!', 'c']);
  });

  it('shows the rest of a line whose beginning was never read as a line', () => {
    expect(texts(read(NO_OUTPUT, [item(1, 'rest', { continues: true })]))).toEqual(['rest']);
  });

  it('does not change the state that it was given', () => {
    const state = read(NO_OUTPUT, [item(1, 'a', { partial: true })]);
    read(state, [item(1, 'b', { continues: true })]);
    expect(texts(state)).toEqual(['a']);
    expect(state.open.size).toBe(1);
  });

  it('keeps the lines and advances the cursor for an empty page', () => {
    const state = read(NO_OUTPUT, [item(1, 'a')]);
    const next = read(state, [], { nextAfter: 'd' });
    expect(next.lines).toBe(state.lines);
    expect(next.after).toBe('d');
  });
});

describe('how far output was read', () => {
  it('is complete when the server names no next page, and keeps the last cursor then', () => {
    const state = read(read(NO_OUTPUT, [item(1, 'a')]), [], { nextAfter: null });
    expect(state).toMatchObject({ complete: true, after: 'c', loading: false, more: false });
  });

  it('continues to load while the server has more, until the budget is spent', () => {
    const page = { items: [], nextAfter: 'c', readPercent: 40 };
    expect(outputReducer(NO_OUTPUT, { type: 'page', page, spent: false })).toMatchObject({
      loading: true,
      more: false,
    });
    expect(outputReducer(NO_OUTPUT, { type: 'page', page, spent: true })).toMatchObject({
      loading: false,
      more: true,
      percent: 40,
    });
  });

  it('keeps the lines after an error, which the next page clears', () => {
    const failed = outputReducer(read(NO_OUTPUT, [item(1, 'a')]), { type: 'failed', error: new Error('away') });
    expect(texts(failed)).toEqual(['a']);
    expect(failed).toMatchObject({ loading: false, error: new Error('away') });
    expect(outputReducer(failed, { type: 'loading' })).toMatchObject({ loading: true, error: null });
    expect(read(failed, [item(2, 'b')]).error).toBeNull();
  });

  it('is nothing again after a reset', () => {
    expect(outputReducer(read(NO_OUTPUT, lines(1, 3)), { type: 'reset' })).toBe(NO_OUTPUT);
  });
});

describe('output beyond the capacity', () => {
  const outputCapacity = { lines: 10, characters: 1_000 };

  it('drops the earliest lines in one go, and counts them', () => {
    const full = read(NO_OUTPUT, lines(1, 10), {}, outputCapacity);
    expect(full.dropped).toBe(0);
    const over = read(full, lines(11, 1), {}, outputCapacity);
    expect(over.lines.map(({ number }) => number)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(over.dropped).toBe(2);
    expect(over.characters).toBe(9);
  });

  it('is measured in characters too', () => {
    const state = read(NO_OUTPUT, lines(1, 5, 'x'.repeat(300)), {}, outputCapacity);
    expect(state.lines).toHaveLength(3);
    expect(state.characters).toBe(900);
  });

  it('keeps the last line, however long it is', () => {
    const state = read(NO_OUTPUT, [item(1, 'a'), item(2, 'x'.repeat(5_000))], {}, outputCapacity);
    expect(state.lines.map(({ number }) => number)).toEqual([2]);
  });

  it('still appends to a line whose place has moved', () => {
    let state = read(NO_OUTPUT, [...lines(1, 9), item(10, 'be', { partial: true })], {}, outputCapacity);
    state = read(
      state,
      lines(1, 1).map((one) => ({ ...one, serverId: 's2' })),
      {},
      outputCapacity,
    );
    expect(state.dropped).toBeGreaterThan(0);
    state = read(state, [item(10, 'gun', { continues: true })], {}, outputCapacity);
    expect(state.lines.find(({ number }) => number === 10)?.text).toBe('begun');
  });

  it('shows the rest of a dropped line as a line, and forgets its beginning', () => {
    let state = read(NO_OUTPUT, [item(1, 'old', { partial: true }), ...lines(2, 12)], {}, outputCapacity);
    expect(state.open.size).toBe(0);
    state = read(state, [item(1, 'rest', { continues: true })], {}, outputCapacity);
    expect(texts(state).at(-1)).toBe('rest');
  });
});
