import { describe, expect, it } from '@jest/globals';
import { type DueRun, KeptRunRules } from './keeping.js';

const run = (id: string, more: Partial<DueRun> = {}): DueRun => ({
  id,
  parentId: null,
  bytes: 1,
  at: new Date(0),
  reason: null,
  ...more,
});

describe('due runs, newest first', () => {
  it('are deleted if no reason keeps them', () => {
    const keeping = new KeptRunRules();
    expect([run('b'), run('a')].map((each) => keeping.findKeptReason(each))).toEqual([null, null]);
  });

  it('keep the chain of runs that a kept run continues', () => {
    const keeping = new KeptRunRules();
    const runs = [run('d', { parentId: 'c', reason: 'pinned' }), run('c', { parentId: 'a' }), run('b'), run('a')];
    expect(runs.map((each) => keeping.findKeptReason(each))).toEqual(['pinned', 'referenced', null, 'referenced']);
  });

  it('are deleted as a whole chain if no reason keeps it', () => {
    const keeping = new KeptRunRules();
    const runs = [run('c', { parentId: 'b' }), run('b', { parentId: 'a' }), run('a')];
    expect(runs.map((each) => keeping.findKeptReason(each))).toEqual([null, null, null]);
  });

  it("prefer the run's own reason to that of a rerun", () => {
    const keeping = new KeptRunRules();
    keeping.findKeptReason(run('b', { parentId: 'a', reason: 'active' }));
    expect(keeping.findKeptReason(run('a', { reason: 'last_failed' }))).toBe('last_failed');
  });
});
