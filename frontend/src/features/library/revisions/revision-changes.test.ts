import type { LibraryDiff } from '../../../api/types';
import { expect, it } from 'vitest';
import { changeLines } from './revision-changes';

const REVISION = {
  id: 'a',
  number: 1,
  interpreter: null,
  bytes: 1,
  source: null,
  message: null,
  createdBy: { id: 'u', name: 'Ada' },
  createdAt: '2026-03-14T02:00:00.000Z',
};

it('lists changes of interpreter and content source', () => {
  const source = { gitSourceId: 'c', path: 'deploy/restart.sh', ref: 'main' };
  const diff: LibraryDiff = {
    from: REVISION,
    to: { ...REVISION, number: 2, interpreter: 'bash', source },
    changes: ['content', 'source', 'interpreter'],
    text: '',
    moreLines: 0,
  };
  expect(changeLines(diff)).toEqual([
    'Content: stored in Runward → deploy/restart.sh of a git source at main',
    'Interpreter: line 1 → bash',
  ]);
  expect(changeLines({ ...diff, from: null, changes: ['source'] })).toEqual([
    'Content: none → deploy/restart.sh of a git source at main',
  ]);
  expect(changeLines({ ...diff, changes: ['content'] })).toEqual([]);
});
