import { describe, expect, it } from '@jest/globals';
import { type GitUrl, isSameServer, parseGitUrl } from './git-url.js';

const VALID_URLS: [string, string][] = [
  ['https://git.example.com/team/plans.git', 'https://git.example.com/team/plans.git'],
  ['https://GIT.example.com./team/plans', 'https://git.example.com/team/plans'],
  ['https://git.example.com:443/a', 'https://git.example.com/a'],
  ['https://git.example.com:8443/a/b/c.git/', 'https://git.example.com:8443/a/b/c.git/'],
  ['https://10.0.0.5/a.git', 'https://10.0.0.5/a.git'],
  ['https://[2001:DB8::5]/a.git', 'https://[2001:db8::5]/a.git'],
  ['https://[::ffff:10.0.0.5]:8443/a', 'https://10.0.0.5:8443/a'],
  ['https://git.example.com/a%20b/c', 'https://git.example.com/a%20b/c'],
  ['ssh://git.example.com/a.git', 'ssh://git@git.example.com/a.git'],
  ['ssh://deploy@git.example.com:2222/~user/a.git', 'ssh://deploy@git.example.com:2222/~user/a.git'],
  ['ssh://git@[2001:db8::5]:22/a', 'ssh://git@[2001:db8::5]/a'],
  ['git@git.example.com:team/plans.git', 'git@git.example.com:team/plans.git'],
  ['git@git.example.com:/srv/plans.git', 'git@git.example.com:/srv/plans.git'],
];

/**
 * Addresses that would run a program, read a file of this machine, resolve to an unexpected host, or contain a secret.
 */
export const HOSTILE_URLS: string[] = [
  // Other transports.
  ...[
    'ext::sh -c id',
    'ext::sh% -c% id',
    'fd::17',
    'file:///etc/passwd',
    'file://localhost/etc',
    '/etc/passwd',
    './a',
    '../a',
  ],
  ...['http://git.example.com/a', 'git://git.example.com/a', 'ftp://a.b/c', 'ftps://a.b/c', 'rsync://a.b/c', 'data:,x'],
  ...[
    'javascript:alert(1)',
    'HTTPS://git.example.com/a',
    'https:/git.example.com/a',
    'https:git.example.com/a',
    'https://',
  ],
  ...[
    'git+ssh://git.example.com/a',
    'ssh+git://git.example.com/a',
    'bundle.pack',
    'ext::https://git.example.com/a',
    'a::b@c:d',
  ],
  // Options of git and ssh.
  ...['--upload-pack=touch /tmp/x', '-upload-pack', '-oProxyCommand=id@host:path', 'ssh://-oProxyCommand=id/a'],
  ...['ssh://-oProxyCommand=id@host/a', 'ssh://git@-oProxyCommand=id/a', 'git@-oProxyCommand=id:a', '-git@host:a'],
  ...['git@host:-a', 'git@host:--upload-pack=id', 'https://-host/a', '--@host:a'],
  // Line breaks, shell syntax, white space, invisible and look-alike characters.
  ...[
    'https://git.example.com/a\nb',
    'https://git.example.com/a\r\nHost: x',
    'https://git.example.com/a b',
    'https://git.example.com/a\0',
  ],
  ...[
    '\nhttps://git.example.com/a',
    ' https://git.example.com/a',
    'https://git.example.com/a ',
    'git@host:a\nb',
    'git@ho st:a',
  ],
  ...[
    'git@host:$(id)',
    'git@host:`id`',
    "git@host:a';id;'",
    'git@host:a|id',
    'git@host:a&id',
    'git@$(id):a',
    'git@host:a;id',
  ],
  ...[
    'https://git.example.com/\u202egit',
    'https://git.exаmple.com/a',
    'https://git.example.com/ａ',
    'https://git.example.com\\@evil/a',
  ],
  // Secrets in the address.
  ...[
    'https://user:pass@git.example.com/a',
    'https://token@git.example.com/a',
    'https://:pass@git.example.com/a',
    'https://@git.example.com/a',
  ],
  ...[
    'ssh://git:pass@git.example.com/a',
    'git:pass@host:a',
    'https://git.example.com@evil.example.com/a',
    'https://a@b@c/d',
  ],
  // Hosts that are invalid or that resolvers interpret differently.
  ...[
    'https://2130706433/a',
    'https://0x7f000001/a',
    'https://0177.0.0.1/a',
    'https://127.1/a',
    'https://0/a',
    'https://127.0.0.01/a',
  ],
  ...[
    'https://0x7f.1/a',
    'https://017700000001/a',
    'git@2130706433:a',
    'git@0x7f.1:a',
    'ssh://127.1/a',
    'https://1.2.3.4.5/a',
  ],
  ...['https://0.0.0.0/a', 'https://[::]/a', 'https://255.255.255.255/a', 'https://224.0.0.1/a', 'https://[ff02::1]/a'],
  ...[
    'https://[fe80::1%25eth0]/a',
    'https://[fe80::1%eth0]/a',
    'https://::1/a',
    'https://[::1/a',
    'https://::1]/a',
    'https://[127.0.0.1]/a',
  ],
  ...[
    'https://[::1]x/a',
    'https://[::ffff:0:0]/a',
    'https://[0:0:0:0:0:ffff:7f00:1:1]/a',
    'https://exa$mple/a',
    'https://a..b/c',
    'https://.a/b',
  ],
  ...[
    'https://git.example.com:/a',
    'https://git.example.com:0/a',
    'https://git.example.com:65536/a',
    'https://git.example.com:22x/a',
  ],
  ...[
    'https://git.example.com:+1/a',
    'https://git.example.com:-1/a',
    'https://git.example.com:022/a',
    'https://git.example.com:1:2/a',
  ],
  // Invalid paths and paths that leave the root.
  ...[
    'https://git.example.com/../a',
    'https://git.example.com/a/../../b',
    'https://git.example.com/a/./b',
    'https://git.example.com/%2e%2e/a',
  ],
  ...[
    'https://git.example.com/a%2f..%2fb',
    'https://git.example.com/a%00',
    'https://git.example.com/a%0ab',
    'https://git.example.com/%zz',
  ],
  ...[
    'https://git.example.com/%ff',
    'https://git.example.com/a%252e%252e/b',
    'https://git.example.com',
    'https://git.example.com/',
  ],
  ...[
    'https://git.example.com//a',
    'https://git.example.com/a//b',
    'https://git.example.com/a?x=y',
    'https://git.example.com/a#b',
    'https:///a',
  ],
  ...[
    'git@host:',
    'git@host:../a',
    'git@host:a/../b',
    'git@host:a//b',
    '@host:a',
    'git@:a',
    'host:a',
    'git@host',
    'C:\\repos\\a',
    'C:/repos/a',
  ],
  ...[
    '',
    ' ',
    'x',
    `https://git.example.com/${'a'.repeat(2048)}`,
    'git@host:a:b',
    'git@[::1]:a',
    'ssh://git@host:22:a',
    'ssh://host',
  ],
];

describe('parseGitUrl', () => {
  it.each(VALID_URLS)('accepts %s as %s', (text, canonical) => {
    const url = parseGitUrl(text) as GitUrl;
    expect(url.text).toBe(canonical);
    expect((parseGitUrl(url.text) as GitUrl).text).toBe(canonical);
  });

  it(`rejects ${HOSTILE_URLS.length} hostile addresses with a message`, () => {
    const escaped = HOSTILE_URLS.filter((text) => typeof parseGitUrl(text) !== 'string');
    expect(escaped).toEqual([]);
    expect(new Set(HOSTILE_URLS).size).toBe(HOSTILE_URLS.length);
    for (const text of HOSTILE_URLS) expect(parseGitUrl(text)).toMatch(/^[A-Z].*[.:]/);
  });

  it('does not repeat a possible password in messages', () => {
    for (const text of HOSTILE_URLS.filter((each) => each.includes('pass')))
      expect(parseGitUrl(text)).not.toContain(':pass');
  });

  it('treats addresses as one server only if scheme, user, host and port are equal', () => {
    const same = (one: string, other: string) => isSameServer(parseGitUrl(one) as GitUrl, parseGitUrl(other) as GitUrl);
    expect(same('https://a.example.com/x', 'https://A.example.com:443/y')).toBe(true);
    expect(same('git@a.example.com:x', 'ssh://git@a.example.com/y')).toBe(true);
    for (const other of [
      'https://a.example.com:444/x',
      'https://b.example.com/x',
      'ssh://a.example.com/x',
      'https://aa.example.com/x',
    ])
      expect(same('https://a.example.com/x', other)).toBe(false);
    expect(same('git@a.example.com:x', 'root@a.example.com:x')).toBe(false);
  });
});
