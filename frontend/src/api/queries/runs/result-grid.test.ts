import { describe, expect, it } from 'vitest';
import type { ResultGrid } from '../../types';
import { appendGrid } from './result-grid';

const SUCCEEDED = { status: 'SUCCEEDED' } as ResultGrid['cells'][number];
const FAILED = { status: 'FAILED' } as ResultGrid['cells'][number];
const part = (serverId: string, more: Partial<ResultGrid>): ResultGrid => ({
  ...{ serverIds: [serverId], serverNames: [serverId], addresses: [serverId], hostStatuses: ['SUCCEEDED'] },
  ...{
    durationsMs: [1],
    targets: [0],
    targetedBy: [null],
    hostTags: [0],
    tags: [{ role: serverId }],
    hostFacts: [0],
    facts: [{ os: serverId }],
    stepKeys: ['a', 'b'],
    cells: [],
    results: [],
    nextHost: null,
  },
  ...more,
});

describe('two parts of a grid', () => {
  it('are joined with the results of each host', () => {
    const grid = appendGrid(
      part('s1', { cells: [SUCCEEDED], results: [[0, 0]], nextHost: 1 }),
      part('s2', { cells: [FAILED, SUCCEEDED], results: [[1, -1]], targetedBy: [['a']] }),
    );
    expect(grid.results.map((row) => row.map((index) => grid.cells[index]?.status ?? null))).toEqual([
      ['SUCCEEDED', 'SUCCEEDED'],
      ['SUCCEEDED', null],
    ]);
    expect(grid.targets.map((index) => grid.targetedBy[index])).toEqual([null, ['a']]);
    expect(grid.hostTags.map((index) => grid.tags[index]?.role)).toEqual(['s1', 's2']);
    expect(grid.hostFacts.map((index) => grid.facts[index]?.os)).toEqual(['s1', 's2']);
    expect([grid.serverIds, grid.nextHost]).toEqual([['s1', 's2'], null]);
  });
});
