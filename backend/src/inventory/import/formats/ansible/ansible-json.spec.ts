import { describe, expect, it } from '@jest/globals';
import { textReader } from '../../../../../test/support/inventory-texts.js';

const { hosts, leftOut, faults } = textReader('ansible-json');
const written = (value: unknown) => JSON.stringify(value, null, 1);

describe('the output of ansible-inventory --list', () => {
  it('reads groups, children, variables of groups and of hosts', () => {
    const text = written({
      _meta: { hostvars: { a: { ansible_host: '10.0.0.1', x: 1 } }, profile: 'inventory_legacy' },
      all: { children: ['ungrouped', 'site'] },
      site: { children: ['web'], vars: { x: 0, y: [1, 'b'] } },
      web: { hosts: ['a', 'b'] },
      ungrouped: {},
    });
    expect(hosts(text)).toMatchObject({
      a: {
        hostname: '10.0.0.1',
        variables: { x: 1, y: [1, 'b'] },
        tags: { 'group.site': 'true', 'group.web': 'true' },
      },
      b: { hostname: 'b', variables: { x: 0, y: [1, 'b'] } },
    });
    expect(leftOut(text)).toEqual({});
  });

  it('reads the older forms of a group: a list of hosts, and a host with its variables', () => {
    const found = hosts(written({ web: ['a'], lone: { ansible_host: '10.0.0.9' } }));
    expect(found['a']?.tags).toEqual({ 'group.web': 'true' });
    expect(found['lone']?.hostname).toBe('10.0.0.9');
  });

  it('reads values that are marked as unsafe, and reports encrypted ones', () => {
    const variables = { ansible_host: { __ansible_unsafe: '10.0.0.1' }, a: { __ansible_vault: 'x' }, b: { c: 1 } };
    const text = written({ web: { hosts: ['h'] }, _meta: { hostvars: { h: variables } } });
    expect(hosts(text)['h']).toMatchObject({ hostname: '10.0.0.1' });
    expect(leftOut(text)['a']).toContain('encrypted with Ansible Vault');
    expect(leftOut(text)['b']).toContain('nested');
  });

  it('keeps the digits of versions and of large numbers', () => {
    const text = '{"web": {"hosts": ["h"], "vars": {"a": 2.0, "b": 12345678901234567890, "c": 1.5}}}';
    expect(hosts(text)['h']?.variables).toEqual({ a: '2.0', b: '12345678901234567890', c: 1.5 });
  });

  it('reads hosts that only have variables', () => {
    const text = written({ web: { hosts: ['a'] }, _meta: { hostvars: { ghost: { x: 1 } } } });
    expect(leftOut(text)['ghost']).toContain('is in no group');
  });

  it('neither expands ranges nor reads ports from names, as Ansible does', () => {
    expect(Object.keys(hosts(written({ web: ['a[1:3]', 'b:22'] })))).toEqual(['a[1:3]', 'b:22']);
  });

  it.each([
    ['[]', ['1 null wrong_format']],
    ['{"web": 5}', ['1 web bad_group']],
    ['{"web":\n{"hosts": "a"}}', ['2 web bad_group']],
    ['{"web":\n{"hosts": [{}]}}', ['2 web bad_group']],
    ['{"web": {"hosts": ["a"], "vars": []}}', ['1 web bad_group']],
    ['{"web": ["a"],\n}', ['2 null invalid_json']],
    ['{"web": ["a"], "_meta": {"hostvars": []}}', ['1 _meta bad_group']],
    ['{"web": ["a"], "_meta": {"hostvars": {"a": 1}}}', ['1 a bad_group']],
    ['{}', ['null null no_hosts']],
    [' ', ['null null no_hosts']],
  ])('names line and entry of a fault: %j', (text, expected) => {
    expect(faults(text)).toEqual(expected);
  });
});
