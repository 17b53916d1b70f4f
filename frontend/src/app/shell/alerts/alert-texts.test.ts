import { describe, expect, it } from 'vitest';
import { changeAlerts, endedAlerts, waitingAlerts } from './alert-texts';

const run = (id: string, finished = false) => ({
  ...{ id, planName: 'Deploy shop', environmentName: 'production', finished },
  status: finished ? ('FAILED' as const) : ('RUNNING' as const),
});

describe('browser notifications', () => {
  it('report nothing of what was there when the tab opened', () => {
    expect(waitingAlerts(null, [run('a')])).toEqual([]);
    expect(changeAlerts(null, [{ id: 'c' }])).toEqual([]);
    expect(endedAlerts(null, [run('a', true)])).toEqual([]);
  });

  it('report each run and protection change that began to wait, once', () => {
    const [first] = waitingAlerts([run('a')], [run('b'), run('a')]);
    expect(first).toEqual({
      tag: 'waiting b',
      title: 'Waits for you',
      body: 'Deploy shop → production',
      runId: 'b',
    });
    expect(waitingAlerts([run('a'), run('b')], [run('b')])).toEqual([]);
    expect(changeAlerts([], [{ id: 'c' }]).map(({ tag }) => tag)).toEqual(['change c']);
  });

  it('report each run that ended, also if it started and ended between two reads', () => {
    const before = [run('a'), run('b', true), run('c')];
    const now = [run('d', true), run('a', true), run('b', true), run('c')];
    expect(endedAlerts(before, now).map(({ tag, title }) => [tag, title])).toEqual([
      ['ended d', 'Failed'],
      ['ended a', 'Failed'],
    ]);
  });
});
