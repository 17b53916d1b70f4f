import { describe, expect, it } from '@jest/globals';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';
import { isDatabaseUnavailable } from './database-problem.js';

describe('detection of an unavailable database', () => {
  it.each([
    [
      'a terminated connection',
      Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' }),
    ],
    ['a refused connection', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    [
      'the driver behind a failed statement',
      new QueryFailedError('select 1', [], Object.assign(new Error('gone'), { code: '08006' })),
    ],
    [
      'a full disk',
      new QueryFailedError('insert', [], Object.assign(new Error('could not extend file'), { code: '53100' })),
    ],
    [
      'a deadlock',
      new QueryFailedError('update', [], Object.assign(new Error('deadlock detected'), { code: '40P01' })),
    ],
    ['a connection that ended without a word', new Error('Connection terminated unexpectedly')],
    ['a unit of work whose connection broke between two statements', new QueryRunnerProviderAlreadyReleasedError()],
    ['a unit of work that can no longer be rolled back', new QueryRunnerAlreadyReleasedError()],
    ['a unit of work that can no longer be committed', new TransactionNotStartedError()],
  ])('recognizes %s', (_, error) => expect(isDatabaseUnavailable(error)).toBe(true));

  it.each([
    [
      'a refused duplicate',
      new QueryFailedError('insert', [], Object.assign(new Error('duplicate key'), { code: '23505' })),
    ],
    ['a fault of our own', new TypeError('x is undefined')],
  ])('does not match %s', (_, error) => expect(isDatabaseUnavailable(error)).toBe(false));
});
