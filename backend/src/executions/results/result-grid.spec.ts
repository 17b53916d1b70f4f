import { describe, expect, it } from '@jest/globals';
import { type EqualResults, type GridHost, toResultGrid } from './result-grid.js';

const groupOf = (positions: number[], more: Partial<EqualResults> = {}): EqualResults => ({
  ...{ status: 'SUCCEEDED', exitCode: 0, code: null, message: null, attempts: 1, changed: true },
  ...{ resolution: null, verdict: null, positions },
  ...more,
});
const hostWith = (ordinal: number, more: Partial<GridHost> = {}): GridHost => ({
  ...{ ordinal, serverId: `id-${ordinal}`, serverName: `web-${ordinal}`, address: `web-${ordinal}:22` },
  ...{ status: 'SUCCEEDED', durationMs: null, targetedBy: null, tags: {}, facts: {} },
  ...more,
});

describe('the grid of a run', () => {
  it('names each different result once', () => {
    const failed = { status: 'FAILED', exitCode: 3, code: 'exit_code', message: 'Exit code 3.', attempts: 2 } as const;
    const grid = toResultGrid(
      ['a', 'b'],
      [hostWith(0, { status: 'FAILED' }), hostWith(1, { durationMs: 4_100 })],
      [groupOf([0, 2, 3]), groupOf([1], failed)],
    );
    expect(grid.results).toEqual([
      [0, 1],
      [0, 0],
    ]);
    expect(grid.cells).toEqual([
      { status: 'SUCCEEDED', exitCode: 0, reason: null, attempts: 1, changed: true, resolution: null, verdict: null },
      expect.objectContaining({ status: 'FAILED', attempts: 2, reason: { code: 'exit_code', text: 'Exit code 3.' } }),
    ]);
    expect(grid.hostStatuses).toEqual(['FAILED', 'SUCCEEDED']);
    expect(grid.durationsMs).toEqual([null, 4_100]);
  });

  it('marks steps without a result, and leaves out those after the last one', () => {
    // The ordinals may have gaps.
    const hosts = [hostWith(0), hostWith(2)];
    expect(toResultGrid(['a', 'b', 'c', 'd'], hosts, [groupOf([10])]).results).toEqual([[], [-1, -1, 0]]);
  });

  it('names each different choice of steps once', () => {
    const hosts = [hostWith(0, { targetedBy: ['a'] }), hostWith(1), hostWith(2, { targetedBy: ['a'] })];
    expect(toResultGrid(['a', 'b'], hosts, [])).toMatchObject({ targets: [0, 1, 0], targetedBy: [['a'], null] });
  });
});
