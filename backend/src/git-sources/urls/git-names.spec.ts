import { describe, expect, it } from '@jest/globals';
import { isCommitId, isRefName, repositoryPathFault } from './git-names.js';

describe('names of branches and tags', () => {
  it.each(['main', 'release/1.2', 'v1', 'feature/ä-ö_x', 'a#b', 'a@b', '1', 'refs/heads/main', "it's"])(
    'may be %s',
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
  it(`are none of ${ODD.length} odd ones`, () => expect(ODD.filter(isRefName)).toEqual([]));
});

describe('ids of commits', () => {
  it('are whole, in small letters', () => {
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

describe('paths in a repository', () => {
  it.each(['a', 'a/b.sh', '.gitignore', '-x', 'a b/ü', '.git/config', 'a*', 'C:/x'])('may be %s', (path) =>
    expect(repositoryPathFault(path)).toBeNull(),
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
  it(`are none of ${ODD.length} odd ones`, () =>
    expect(ODD.filter((path) => repositoryPathFault(path) === null)).toEqual([]));
});
