import { describe, expect, it } from '@jest/globals';
import { limitAuthors } from './run-authors.js';
import { listUnapprovedRevisions, listUsedRevisions } from './used-revisions.js';

const PLAN = { kind: 'plan', id: 'p', name: 'release', revision: 5 } as const;
const SCRIPT = { kind: 'script', id: 's', name: 'cleanup', revision: 2 } as const;

describe('content of a run that has not run approved in its environment', () => {
  it.each([
    ['is all of it when none did', null, [0, 0]],
    ['is what was saved since', { p: 3, s: 1 }, [3, 1]],
    ['is empty for unchanged content', { p: 5, s: 2 }, [null, null]],
    ['is all of a script that the earlier run did not use', { p: 5 }, [null, 0]],
    ['is all of a revision older than the approved one', { p: 5, s: 7 }, [null, 0]],
  ] as const)('%s', (_, ran, after) => {
    const ranges = listUnapprovedRevisions([PLAN, SCRIPT], ran && new Map(Object.entries(ran)));
    const found = [PLAN, SCRIPT].map(({ id }) => ranges.find((range) => range.id === id)?.after ?? null);
    expect(found).toEqual(after);
    for (const range of ranges) expect(range.upTo).toBe(range.kind === 'plan' ? 5 : 2);
  });

  it('is determined for the plan and for each script and template that the run froze', () => {
    const library = {
      scripts: { s: { name: 'cleanup', revision: 2, interpreter: '/bin/sh', content: '' } },
      templates: { t: { name: 'config', revision: 4, content: '' } },
    };
    expect(listUsedRevisions({ id: 'p', name: 'release', revision: 5 }, library)).toEqual([
      PLAN,
      SCRIPT,
      { kind: 'template', id: 't', name: 'config', revision: 4 },
    ]);
    expect(listUsedRevisions({ id: 'p', name: 'release', revision: 5 }, undefined)).toEqual([PLAN]);
  });

  it('is determined for each called plan, after the plan itself', () => {
    const called = [{ planId: 'c', name: 'restart', revision: 3, parallelSafe: false }];
    expect(listUsedRevisions({ id: 'p', name: 'release', revision: 5 }, undefined, called)).toEqual([
      PLAN,
      { kind: 'plan', id: 'c', name: 'restart', revision: 3 },
    ]);
  });

  it('has the first reason of each author first, the plan before the library', () => {
    const authors = [
      { userId: 'u', kind: 'plan', name: 'release', revision: 5 },
      { userId: 'u', kind: 'script', name: 'cleanup', revision: 2 },
      { userId: 'v', kind: 'script', name: 'cleanup', revision: 1 },
    ] as const;
    expect(limitAuthors(authors)).toEqual([authors[0], authors[2], authors[1]]);
  });
});
