import { describe, expect, it } from '@jest/globals';
import { isCommitId, isRefName, findRepositoryPathFault } from './git-names.js';

describe('isRefName', () => {
  it.each(['main', 'release/1.2', 'v1', 'feature/ä-ö_x', 'a#b', 'a@b', '1', 'refs/heads/main', "it's"])(
    'accepts %s',
    (name) => expect(isRefName(name)).toBe(true),
  );

  const ODD = [
    ...[
      '',
      '-x',
      '--upload-pack=id',
      '@',
      'a..b',
      'a b',
      'a~1',
      'a^',
      'a:b',
      'a?',
      'a*',
      'a[b',
      'a\\b',
      'a@{1}',
      '/a',
      'a/',
      'a//b',
    ],
    ...[
      '.a',
      'a/.b',
      'a.lock',
      'a.lock/b',
      'a.',
      'a/b.',
      'a\n',
      'a\0',
      'a\x7f',
      '\u202ea',
      'a\u200b',
      '\ud800',
      'a/-b',
      'x'.repeat(251),
    ],
    ...['HEAD:path', '..', 'main..other', 'main...other', '^main', 'main@{upstream}', ':/text'],
  ];
  it(`rejects ${ODD.length} invalid names`, () => expect(ODD.filter(isRefName)).toEqual([]));
});

describe('isCommitId', () => {
  it('accepts only full ids in lower case', () => {
    expect([isCommitId('a'.repeat(40)), isCommitId('0'.repeat(64))]).toEqual([true, true]);
    const odd = [
      '',
      'a'.repeat(39),
      'a'.repeat(41),
      'A'.repeat(40),
      `-${'a'.repeat(39)}`,
      `${'a'.repeat(40)}\n`,
      'g'.repeat(40),
    ];
    expect(odd.filter(isCommitId)).toEqual([]);
  });
});

describe('repositoryPathFault', () => {
  it.each(['a', 'a/b.sh', '.gitignore', '-x', 'a b/ü', '.git/config', 'a*', 'C:/x'])('accepts %s', (path) =>
    expect(findRepositoryPathFault(path)).toBeNull(),
  );

  const ODD = [
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    '../a',
    'a/..',
    'a/../b',
    './a',
    'a/.',
    'a\0',
    'a\nb',
    'a\x1b[0m',
    '\u202ea',
    '\ud800',
    'x'.repeat(1025),
  ];
  it(`rejects ${ODD.length} invalid paths`, () =>
    expect(ODD.filter((path) => findRepositoryPathFault(path) === null)).toEqual([]));
});
