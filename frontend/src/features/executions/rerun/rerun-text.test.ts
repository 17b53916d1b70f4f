import { describe, expect, it } from 'vitest';
import type { RerunPreview } from '../../../api/types';
import { describeHosts, describeRerun } from './rerun-text';

const named = (...names: string[]) => names.map((name) => ({ name, serverId: name }));
type Steps = RerunPreview['steps'];
const preview = (steps: { name: string; runs: number; leftOut: boolean }[], inheritedResults = 0) =>
  ({ hostCount: 2, steps: steps as Steps, inheritedResults }) as RerunPreview;

describe('the preview of a rerun', () => {
  it('names the first five hosts and counts all further ones', () => {
    expect(describeHosts({ hosts: named('a', 'b'), count: 2 })).toBe('a, b');
    expect(describeHosts({ hosts: named('a', 'b', 'c', 'd', 'e', 'f'), count: 40 })).toBe('a, b, c, d, e and 35 more');
    expect(describeHosts({ hosts: [], count: 0 })).toBe('');
  });

  it('lists steps to run and counts skipped steps and kept results', () => {
    const steps = [
      { name: 'Build', runs: 0, leftOut: true },
      { name: 'Test', runs: 2, leftOut: false },
      { name: 'Ship', runs: 1, leftOut: false },
    ];
    expect(describeRerun(preview(steps, 4))).toBe('Runs “Test”, “Ship” on 2 hosts; skips 1 step; keeps 4 results.');
  });

  it('says when no step would run', () => {
    expect(describeRerun(preview([{ name: 'Build', runs: 0, leftOut: false }]))).toBe('Runs no step.');
  });
});
