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

  it('names the source of its value', () => {
    expect(describeSource(resolved('plan'), false)).toBe('From the plan’s default unless set here');
    expect(describeSource(resolved('environment'), true)).toBe('Set here; replaces the value from the environment');
    expect(describeSource(resolved(null), true)).toBe('Set here');
    expect(describeSource(resolved(null, true), false)).toBe('No value yet');
    expect(describeSource(resolved(null), false)).toBe('Empty by default');
  });

  it('lists servers with their own values, and invalid values', () => {
    const own = (serverName: string, value: string | null, text: string | null = null) => ({
      ...{ serverId: serverName, serverName, value, secret: value === null },
      reason: text === null ? null : { code: 'wrong_type', text },
    });
    const variable = {
      serverCount: 5,
      servers: [own('web-1', 'a'), own('web-2', null), own('web-3', 'b', 'is no number'), own('web-4', 'c')],
    } as ResolvedVariable;
    expect(describeServers(variable, false)).toBe('Values of servers: web-1 = a, web-2 (secret), web-3 = b and 2 more');
    expect(describeServers(variable, true)).toMatch(/^Set here; replaces the values of servers/);
    expect(serverProblem(variable)).toBe('web-3: is no number');
    expect(describeServers({ serverCount: 0, servers: [] } as unknown as ResolvedVariable, false)).toBeNull();
  });
});
