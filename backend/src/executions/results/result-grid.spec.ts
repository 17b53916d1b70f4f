import { describe, expect, it } from '@jest/globals';
import { type GridHost, toResultGrid } from './result-grid.js';

const OK = JSON.stringify(['SUCCEEDED', 0, null, null, 1, true, null, null]);
const FAILED = JSON.stringify(['FAILED', 3, 'exit_code', 'The command ended with exit code 3.', 2, null, null, null]);
const hostWith = (serverName: string, more: Partial<GridHost> = {}): GridHost => ({
  ...{ serverId: `id-${serverName}`, serverName, address: `${serverName}:22`, status: 'SUCCEEDED' },
  ...{ targetedBy: null, steps: [], values: [] },
  ...more,
});

describe('the grid of a run', () => {
  it('names each different result once', () => {
    const grid = toResultGrid(
      ['a', 'b'],
      [
        hostWith('web-1', { steps: [0, 1], values: [OK, FAILED], status: 'FAILED' }),
        hostWith('web-2', { steps: [0, 1], values: [OK, OK] }),
      ],
    );
    expect(grid.results).toEqual([
      [0, 1],
      [0, 0],
    ]);
    expect(grid.cells).toEqual([
      { status: 'SUCCEEDED', exitCode: 0, reason: null, attempts: 1, changed: true, resolution: null, verdict: null },
      expect.objectContaining({
        ...{ status: 'FAILED', attempts: 2 },
        reason: { code: 'exit_code', text: 'The command ended with exit code 3.' },
      }),
    ]);
    expect(grid.hostStatuses).toEqual(['FAILED', 'SUCCEEDED']);
  });

  it('marks steps without a result, and leaves out those after the last one', () => {
    const hosts = [hostWith('web-1', { steps: [2], values: [OK] }), hostWith('web-2')];
    expect(toResultGrid(['a', 'b', 'c', 'd'], hosts).results).toEqual([[-1, -1, 0], []]);
  });

  it('names each different choice of steps once', () => {
    const hosts = [
      hostWith('web-1', { targetedBy: ['a'] }),
      hostWith('web-2'),
      hostWith('web-3', { targetedBy: ['a'] }),
    ];
    expect(toResultGrid(['a', 'b'], hosts)).toMatchObject({ targets: [0, 1, 0], targetedBy: [['a'], null] });
  });
});
