import { describe, expect, it } from '@jest/globals';
import { readHostPattern } from './host-range.ts';

function names(pattern: string): string[] | string {
  const read = readHostPattern(pattern);
  return 'code' in read ? read.code : read.names();
}

describe('host patterns', () => {
  it('reads ranges with leading zeros as Ansible does', () => {
    expect(names('web[08:11].example.com')).toEqual([
      'web08.example.com',
      'web09.example.com',
      'web10.example.com',
      'web11.example.com',
    ]);
  });

  it.each([
    ['db-[a:c]', ['db-a', 'db-b', 'db-c']],
    ['x[y:B]', ['xy', 'xz', 'xA', 'xB']],
    ['n[1:10:4]', ['n1', 'n5', 'n9']],
    ['n[:2]', ['n0', 'n1', 'n2']],
    ['n[9:10]', ['n9', 'n10']],
    ['r[1:2]s[a:b]', ['r1sa', 'r1sb', 'r2sa', 'r2sb']],
    ['plain', ['plain']],
  ])('expands %s', (pattern, expected) => {
    expect(names(pattern)).toEqual(expected);
  });

  it.each([
    'n[1]',
    'n[5:1]',
    'n[1:2',
    'n[01:100]',
    'n[1:2:0]',
    'n[1:2:3:4]',
    'n[a:5]',
    'n[:]',
    'n[ab:cd]',
    'n[[1:2]]x',
  ])('rejects %s', (pattern) => {
    expect(names(pattern)).toBe('bad_range');
  });

  it('distinguishes ports from ranges and from IPv6 addresses', () => {
    const port = (pattern: string) => {
      const read = readHostPattern(pattern);
      return 'code' in read ? read.code : [...read.names(), read.port];
    };
    expect(port('web[1:2]:22')).toEqual(['web1', 'web2', 22]);
    expect(port('[::1]:22')).toEqual(['::1', 22]);
    expect(port('[::1]')).toEqual(['::1', null]);
    expect(port('2001:db8::22')).toEqual(['2001:db8::22', null]);
    expect(port('10.0.0.1:22')).toEqual(['10.0.0.1', 22]);
    expect(port(':22')).toBe('bad_host');
  });

  it('counts a billion hosts without expanding them', () => {
    const read = readHostPattern('a[1:1000]b[1:1000]c[1:1000]');
    expect('count' in read && read.count).toBe(1_000_000_000);
  });
});
