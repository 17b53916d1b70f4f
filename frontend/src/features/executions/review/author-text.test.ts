import { describe, expect, it } from 'vitest';
import type { RunAuthor } from '../../../api/types';
import { authorGroups, authorName, changeText } from './author-text';

const author = (more: Partial<RunAuthor>): RunAuthor => ({
  ...{ kind: 'script', name: 'deploy.sh', revision: 3, detail: null, statedName: null, outside: false },
  ...{ user: { id: 'u', name: 'Ada' }, ...more },
});

describe('the authors of a run', () => {
  it('are grouped by kind in the order of the server, unknown kinds too', () => {
    const groups = authorGroups([
      author({}),
      author({ kind: 'host_list' as RunAuthor['kind'] }),
      author({ name: 'b.sh' }),
    ]);
    expect(groups.map(({ label, items }) => [label, items.length])).toEqual([
      ['Scripts', 2],
      ['host_list', 1],
    ]);
  });

  it.each([
    [author({}), 'Ada', 'deploy.sh, revision 3'],
    [
      author({ kind: 'git_commit', revision: null, detail: 'abc', user: null, statedName: 'Eve <eve@x.test>' }),
      'Eve <eve@x.test>',
      'deploy.sh, commit abc',
    ],
    [author({ kind: 'server_tag', revision: null, detail: 'and 2 more' }), 'Ada', 'deploy.sh, and 2 more'],
  ])('are named with what they changed', (each, name, change) => {
    expect([authorName(each), changeText(each)]).toEqual([name, change]);
  });
});
