import { describe, expect, it } from 'vitest';
import type { ExecutionStep } from '../../../api/types';
import { clipGroups, columnGroups, columnName } from './matrix-groups';
import { wholeName } from '../run/step-name';

const part = (key: string, planName: string | null, item: string | null, index: number | null) => ({
  ...{ key, planName, item, index },
  planId: planName && 'id',
  planRevision: planName ? 1 : null,
});
const step = (name: string, ...path: ExecutionStep['path']) => ({ name, path }) as ExecutionStep;

describe('the headings over the columns of nested steps', () => {
  it('are none for a plan that calls nothing', () => {
    expect(columnGroups([step('a'), step('b')])).toEqual([]);
  });

  it('group the items of a list and separate calls for items', () => {
    const steps = [
      step('first'),
      step('Install', part('install', null, 'x', 0)),
      step('Install', part('install', null, 'y', 1)),
      step('build', part('deploy', 'Shop', 'eu', 0)),
      step('check', part('deploy', 'Shop', 'eu', 0), part('inner', 'Check', null, null)),
      step('build', part('deploy', 'Shop', 'us', 1)),
    ];
    expect(columnGroups(steps).map((row) => row.map(({ label, span }) => [label, span]))).toEqual([
      [
        [null, 1],
        ['install', 2],
        ['deploy · eu → Shop', 2],
        ['deploy · us → Shop', 1],
      ],
      [
        [null, 4],
        ['inner → Check', 1],
        [null, 1],
      ],
    ]);
    expect(steps.map(columnName)).toEqual(['first', 'x', 'y', 'build', 'check', 'build']);
    expect(steps.map(wholeName)[4]).toBe('deploy · eu › inner › check');
  });

  it('are cut to the visible columns', () => {
    const groups = [
      { id: 'a', label: 'a', span: 2 },
      { id: 'b', label: 'b', span: 5 },
      { id: 'c', label: 'c', span: 3 },
    ];
    const cut = (first: number, end: number) => clipGroups(groups, first, end).map(({ id, span }) => `${id}${span}`);
    expect(cut(0, 10)).toEqual(['a2', 'b5', 'c3']);
    expect(cut(1, 8)).toEqual(['a1', 'b5', 'c1']);
    expect(cut(3, 5)).toEqual(['b2']);
  });
});
