import { describe, expect, it } from '@jest/globals';
import { type DueRun, Keeping } from './keeping.js';

const run = (id: string, more: Partial<DueRun> = {}): DueRun => ({
  id,
  parentId: null,
  bytes: 1,
  at: new Date(0),
  reason: null,
  ...more,
});

describe('of due runs, the newest first', () => {
  it('each goes that nothing keeps', () => {
    const keeping = new Keeping();
    expect([run('b'), run('a')].map((each) => keeping.reasonFor(each))).toEqual([null, null]);
  });

  it('what a kept one continues stays, and what that one continues', () => {
    const keeping = new Keeping();
    const runs = [run('d', { parentId: 'c', reason: 'pinned' }), run('c', { parentId: 'a' }), run('b'), run('a')];
    expect(runs.map((each) => keeping.reasonFor(each))).toEqual(['pinned', 'referenced', null, 'referenced']);
  });

  it('a chain that nothing keeps goes as a whole', () => {
    const keeping = new Keeping();
    const runs = [run('c', { parentId: 'b' }), run('b', { parentId: 'a' }), run('a')];
    expect(runs.map((each) => keeping.reasonFor(each))).toEqual([null, null, null]);
  });

  it('the run’s own reason is told before that of a rerun', () => {
    const keeping = new Keeping();
    keeping.reasonFor(run('b', { parentId: 'a', reason: 'active' }));
    expect(keeping.reasonFor(run('a', { reason: 'last_failed' }))).toBe('last_failed');
  });
});
