import { describe, expect, it } from 'vitest';
import type { ResolvedVariable } from '../../api/types';
import { describeServers, describeSource, formatValue, serverProblem } from './resolved-variable';

const resolved = (source: ResolvedVariable['source'], required = false) => ({ source, required }) as ResolvedVariable;

describe('a resolved variable', () => {
  it('is shown as text, false and 0 too', () => {
    expect([null, '', 0, false, ['a', 1]].map((value) => formatValue({ value }))).toEqual([
      '',
      '',
      '0',
      'false',
      'a, 1',
    ]);
  });

  it('tells where its value comes from', () => {
    expect(describeSource(resolved('plan'), false)).toBe('From the plan’s default unless given');
    expect(describeSource(resolved('environment'), true)).toBe('Given here, instead of that of the environment');
    expect(describeSource(resolved(null), true)).toBe('Given here');
    expect(describeSource(resolved(null, true), false)).toBe('Nothing gives a value yet');
    expect(describeSource(resolved(null), false)).toBe('Empty unless given');
  });

  it('tells which servers have values of their own, and what is wrong with them', () => {
    const own = (serverName: string, value: string | null, problem: string | null = null) => ({
      ...{ serverId: serverName, serverName, value, secret: value === null, problem },
    });
    const variable = {
      serverCount: 5,
      servers: [own('web-1', 'a'), own('web-2', null), own('web-3', 'b', 'is no number'), own('web-4', 'c')],
    } as ResolvedVariable;
    expect(describeServers(variable, false)).toBe(
      'On their own servers: web-1 = a, web-2 (secret), web-3 = b and 2 more',
    );
    expect(describeServers(variable, true)).toMatch(/^Given here, also instead of the servers’ own/);
    expect(serverProblem(variable)).toBe('web-3: is no number');
    expect(describeServers({ serverCount: 0, servers: [] } as unknown as ResolvedVariable, false)).toBeNull();
  });
});
