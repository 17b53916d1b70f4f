import { describe, expect, it } from 'vitest';
import type { Difference, Review, ReviewHost } from '../../../api/types';
import { hostValues } from './host-values';

const host = (variables: Review['variables'], secretNames: string[] = []): ReviewHost => ({
  ...{ serverId: '1', name: 'web-1', address: 'deploy@web-1:22', hostKeyFingerprint: null },
  ...{ variables, secretNames },
});
const changed = (before: string, after: string, name = 'web-1'): Difference => ({
  ...{ kind: 'host', name, change: 'changed', before, after },
});

describe('the values that a server gives its host', () => {
  it('are listed by name, of secrets only the names', () => {
    expect(hostValues(host({ ZONE: 'a', IDS: [1, 2], ON: false }, ['DB_PASSWORD']), [])).toEqual([
      { name: 'DB_PASSWORD', value: null, kind: 'secret', change: null },
      { name: 'IDS', value: '1, 2', kind: 'plain', change: null },
      { name: 'ON', value: 'false', kind: 'plain', change: null },
      { name: 'ZONE', value: 'a', kind: 'plain', change: null },
    ]);
  });

  it('that changed, came or went since the last success stand first and say so', () => {
    const before = 'deploy@web-1:22\nvariable A: 1\nvariable GONE: x\nvariable SAME: s';
    const after = 'deploy@web-1:22\nvariable A: 2\nvariable NEW: n\nvariable SAME: s';
    const listed = hostValues(host({ A: 2, NEW: 'n', SAME: 's' }), [changed(before, after)]);
    expect(listed.map(({ name, kind, change }) => `${name} ${kind} ${change}`)).toEqual([
      'A plain changed',
      'GONE gone changed',
      'NEW plain new',
      'SAME plain null',
    ]);
  });

  it('are not compared with those of another host, nor by what has no values', () => {
    const other = changed('variable A: 1', 'variable A: 2', 'web-2');
    expect(hostValues(host({ A: 2 }), [other, changed('tags none', 'tags x=')])).toEqual([
      { name: 'A', value: '2', kind: 'plain', change: null },
    ]);
  });
});
