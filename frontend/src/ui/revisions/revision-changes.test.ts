import { expect, it } from 'vitest';
import { changeLines } from './revision-changes';

it('lists changes of the plan, its variables and its steps', () => {
  expect(
    changeLines({
      changes: [
        { kind: 'plan', part: null, change: 'changed', fields: ['targets', 'locks'] },
        { kind: 'variable', part: 'RELEASE', change: 'removed', fields: [] },
        { kind: 'step', part: 'drain', change: 'added', fields: [] },
        { kind: 'step', part: 'restart', change: 'changed', fields: ['command'] },
        { kind: 'step', part: 'check', change: 'moved', fields: ['position'] },
        { kind: 'step', part: 'wait', change: 'changed', fields: ['position', 'port'] },
      ],
    }),
  ).toEqual([
    'Plan changed: targets, locks',
    'Variable RELEASE removed',
    'Step drain added',
    'Step restart changed: command',
    'Step check moved',
    'Step wait moved and changed: port',
  ]);
});
