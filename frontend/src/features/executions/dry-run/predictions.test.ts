import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../api/types';
import { countVerdicts, predictionsOf } from './predictions';

const item = (
  serverName: string,
  verdict: Verdict | null,
  message: string | null = null,
  diff: string | null = null,
) => ({
  stepKey: 'build',
  serverName,
  verdict,
  reason: message === null ? null : { code: 'blocked', text: message },
  diff,
});

describe('predictions of a dry run', () => {
  it('are counted by verdict, most important first, without those that nothing has', () => {
    const items = [item('a', 'NO_CHANGE'), item('b', 'BLOCKED'), item('c', 'NO_CHANGE'), item('d', null)];
    expect(countVerdicts(items)).toEqual([
      ['BLOCKED', 1],
      ['NO_CHANGE', 2],
    ]);
  });

  it('are grouped by all fields, including the difference', () => {
    const items = [
      item('a', 'WOULD_CHANGE', 'It differs.', '-x'),
      item('b', 'WOULD_CHANGE', 'It differs.', '-y'),
      item('c', 'WOULD_CHANGE', 'It differs.', '-x'),
    ];
    expect(predictionsOf('build', items, undefined).map(({ hosts, diff }) => [hosts, diff])).toEqual([
      [['a', 'c'], '-x'],
      [['b'], '-y'],
    ]);
  });

  it('are sorted by importance', () => {
    const items = [item('a', 'NO_CHANGE'), item('b', 'WOULD_RUN'), item('c', 'BLOCKED')];
    expect(predictionsOf('build', items, undefined).map(({ verdict }) => verdict)).toEqual([
      'BLOCKED',
      'WOULD_RUN',
      'NO_CHANGE',
    ]);
  });

  it('are those of one step and of the chosen verdict, once there is one', () => {
    const items = [item('a', 'WOULD_RUN'), item('b', 'BLOCKED'), item('c', null)];
    expect(predictionsOf('build', items, 'WOULD_RUN')).toMatchObject([{ hosts: ['a'] }]);
    expect(predictionsOf('test', items, undefined)).toEqual([]);
  });
});
