import { describe, expect, it } from '@jest/globals';
import { parseDatabaseHosts, toParsableUrl, replaceHosts } from './database-hosts.js';

const hosts = (url: string) => parseDatabaseHosts(toParsableUrl(url)).map(({ host, port }) => `${host} ${port}`);

describe('an address of several hosts', () => {
  it.each([
    ['postgres://u:p@h1,h2/db', ['h1 5432', 'h2 5432']],
    ['postgresql://u@h1:5433,h2:5434,h3/db?target_session_attrs=read-write', ['h1 5433', 'h2 5434', 'h3 5432']],
    ['postgres://u:p@[2001:db8::1]:5433,[2001:db8::2]/db', ['2001:db8::1 5433', '2001:db8::2 5432']],
    ['postgres://u:p@/db?host=h1,h2&port=5433,5434', ['h1 5433', 'h2 5434']],
    ['postgres:///db?user=u&host=h1,2001:db8::1&port=5433', ['h1 5433', '2001:db8::1 5433']],
  ])('is parsable and keeps all hosts: %s', (url, expected) => {
    expect(hosts(url)).toEqual(expected);
    const parsed = new URL(toParsableUrl(url));
    expect(parsed.hostname.replace(/[[\]]/g, '')).toBe(expected[0]?.split(' ')[0]);
    expect(parsed.pathname).toBe('/db');
    expect(toParsableUrl(toParsableUrl(url))).toBe(toParsableUrl(url));
  });

  it('keeps login and parameters', () => {
    const url = toParsableUrl('postgres://u:p%40x@h1,h2/db?sslmode=disable&target_session_attrs=read-write');
    expect(url).toBe('postgres://u:p%40x@h1/db?sslmode=disable&target_session_attrs=read-write&hosts=h1%2Ch2');
    expect(replaceHosts(url, { host: 'h2', port: 5433 })).toBe(url.replace('@h1/', '@h2:5433/'));
  });

  it.each(['postgres://u:p@db:5433/runward', 'postgresql://u@/runward?host=/var/run/postgresql', 'no address'])(
    'is not: %s',
    (url) => {
      expect(toParsableUrl(url)).toBe(url);
      expect(parseDatabaseHosts(url)).toEqual([]);
    },
  );
});
