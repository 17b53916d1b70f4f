import { describe, expect, it } from 'vitest';
import type { ExecutionHost } from '../../../api/types';
import { groupingTags, groupRows, inGroup, withFacts } from './host-groups';
import type { Row } from './matrix-rows';

const host = (tags: Record<string, string>) => ({ tags }) as ExecutionHost;
const row = (tone: Row['tone'], tags: Record<string, string>) => ({ tone, tags }) as Row;

describe('tags that divide hosts into groups', () => {
  it('have several values, or are missing on some hosts', () => {
    const hosts = [
      host({ role: 'web', zone: 'eu', team: 'shop' }),
      host({ role: 'db', zone: 'eu' }),
      host({ role: 'db', zone: 'eu' }),
    ];
    expect(groupingTags(hosts)).toEqual(['role', 'team']);
  });

  it('do not have a value of their own for each host', () => {
    const hosts = (length: number) => Array.from({ length }, (_, index) => host({ id: `${index}`, role: 'web' }));
    expect(groupingTags(hosts(60))).toEqual([]);
    expect(groupingTags(hosts(3))).toEqual([]);
  });
});

describe('facts', () => {
  it('are labels, unless a tag has the same name', () => {
    const hosts = [
      { ...host({ role: 'web' }), serverId: 'a' },
      { ...host({ 'facts.os': 'tagged' }), serverId: 'b' },
      { ...host({}), serverId: 'new' },
    ];
    const facts: Record<string, string>[] = [{ os: 'debian' }, { os: 'alpine', arch: 'arm' }];
    const grid = { serverIds: ['b', 'a'], hostFacts: [1, 0], facts };
    expect(withFacts(hosts, grid).map(({ tags }) => tags)).toEqual([
      { role: 'web', 'facts.os': 'debian' },
      { 'facts.os': 'tagged', 'facts.arch': 'arm' },
      {},
    ]);
  });
});

describe('groups of hosts', () => {
  const rows = [
    row('good', { role: 'web' }),
    row('bad', { role: 'db' }),
    row('active', { role: 'db' }),
    row('good', {}),
    row('good', { role: 'app' }),
  ];

  it('have counts, and those with failures come first', () => {
    expect(groupRows(rows, 'role')).toEqual([
      { selector: 'role=db', value: 'db', hosts: 2, failed: 1 },
      { selector: 'role=app', value: 'app', hosts: 1, failed: 0 },
      { selector: 'role=web', value: 'web', hosts: 1, failed: 0 },
      { selector: '!role', value: null, hosts: 1, failed: 0 },
    ]);
  });

  it('are selected by their selector', () => {
    const count = (selector?: string, tag?: string) => rows.filter((each) => inGroup(each, tag, selector)).length;
    expect([count('role=db', 'role'), count('!role', 'role'), count(undefined, 'role'), count('role=db')]).toEqual([
      2, 1, 5, 5,
    ]);
  });
});
