import { expect, it } from '@jest/globals';
import { toExitCode, type Run, type RunStatus } from './run.ts';

const run = (status: RunStatus, unknown = 0): Run =>
  ({
    status,
    finished: !['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING'].includes(status),
    unknownHosts: Array.from({ length: unknown }, () => ({})),
  }) as unknown as Run;

it.each<[RunStatus, number, number]>([
  ['SUCCEEDED', 0, 0],
  ['FAILED', 1, 7],
  ['CANCELLED', 1, 7],
  ['TIMED_OUT', 1, 7],
  ['PARTIALLY_SUCCEEDED', 3, 7],
  ['PAUSED', 4, 4],
  ['REJECTED', 5, 7],
  ['EXPIRED', 5, 7],
  ['INTERRUPTED', 7, 7],
  ['PENDING', 7, 7],
  ['RUNNING', 7, 7],
  ['CANCELLING', 7, 7],
])(
  'a run that is %s ends the program with %s, and with %s where hosts have no known result',
  (status, code, unknown) => {
    expect([toExitCode(run(status)), toExitCode(run(status, 1))]).toEqual([code, unknown]);
  },
);

it('a run with a status of a newer service ends the program with 0 only if the service calls it successful', () => {
  const newer = (successful: boolean) =>
    ({ ...run('NEWER' as RunStatus), successful, status: 'NEWER' }) as unknown as Run;
  expect([toExitCode(newer(true)), toExitCode(newer(false))]).toEqual([0, 7]);
});
