import { describe, expect, it } from '@jest/globals';
import { textReader } from '../../../../../test/support/inventory-texts.js';

const { hosts, leftOut, faults, message } = textReader('ssh-config');

describe('hosts of an ssh_config', () => {
  it('reads name, address, port, user and jump hosts', () => {
    const text = 'Host web-1\n  HostName 10.0.0.1\n  Port 2222\n  User deploy\n  ProxyJump u@bastion:22,inner\n';
    expect(hosts(text)).toEqual({
      'web-1': {
        line: 1,
        name: 'web-1',
        hostname: '10.0.0.1',
        port: 2222,
        username: 'deploy',
        jumps: [
          { host: 'bastion', port: 22, username: 'u' },
          { host: 'inner', port: null, username: null },
        ],
      },
    });
  });

  it.each([
    ['HostKeyAlgorithms +ssh-rsa', true, []],
    ['KexAlgorithms +diffie-hellman-group1-sha1,diffie-hellman-group14-sha1', true, []],
    ['Ciphers ^3des-cbc', true, []],
    ['MACs=+hmac-md5', true, []],
    ['HostKeyAlgorithms +ssh-rsa,ssh-dss', true, ['HostKeyAlgorithms']],
    ['Ciphers aes256-ctr,aes128-cbc', true, ['Ciphers']],
    ['Ciphers aes256-ctr', undefined, ['Ciphers']],
    ['KexAlgorithms -diffie-hellman-group14-sha1', undefined, ['KexAlgorithms']],
    ['PubkeyAcceptedAlgorithms +ssh-rsa', undefined, ['PubkeyAcceptedAlgorithms']],
    ['PubkeyAcceptedKeyTypes +ssh-rsa', undefined, ['PubkeyAcceptedKeyTypes']],
    ['Ciphers aes256-ctr\n  Ciphers +aes128-cbc', undefined, ['Ciphers']],
  ])('allows legacy algorithms where an option requests them: %s', (option, legacyAlgorithms, without) => {
    const text = `Host a\n  ${option}\nHost b\n`;
    expect(hosts(text)['a']?.legacyAlgorithms).toBe(legacyAlgorithms);
    expect(hosts(text)['b']?.legacyAlgorithms).toBeUndefined();
    expect(Object.keys(leftOut(text))).toEqual(without);
  });

  it.each([
    ['ConnectTimeout 60', 60, []],
    ['ConnectTimeout=1m30s', 90, []],
    ['ConnectTimeout none\n  ConnectTimeout 30', undefined, []],
    ['ConnectTimeout 0', undefined, []],
    ['ConnectTimeout 2', undefined, ['ConnectTimeout']],
    ['ConnectTimeout 10m', undefined, ['ConnectTimeout']],
    ['ConnectTimeout soon', undefined, ['ConnectTimeout']],
  ])('reads the login timeout from %j', (option, seconds, without) => {
    const text = `Host a\n  ${option}\nHost b\nHost *\n  ConnectTimeout 40\n`;
    expect(hosts(text)['a']?.loginTimeoutSeconds).toBe(seconds);
    expect(hosts(text)['b']?.loginTimeoutSeconds).toBe(40);
    expect(Object.keys(leftOut(text))).toEqual(without);
  });

  it('leaves out a host for which only an unknown condition requests legacy algorithms', () => {
    const text = 'Match exec "true"\n  HostKeyAlgorithms +ssh-rsa\nHost a\n';
    expect(hosts(text)['a']?.leftOut).toContain('The "Match" block in line 1');
  });

  it('creates a host for each name, but none for a pattern', () => {
    expect(Object.keys(hosts('Host a b web-? !c\nHost *\n  User u\nHost *.example.com\n'))).toEqual(['a', 'b']);
    expect(faults('Host *\n  User u\n')).toEqual(['null null no_hosts']);
  });

  it('uses the first value of an option, also from patterns and from before the first Host', () => {
    const text =
      'Port 23\nHost web-*\n  User pattern\nHost web-1\n  User own\n  Port 24\nHost *\n  User all\n  HostName %h.example.com\n';
    expect(hosts(text)['web-1']).toMatchObject({ port: 23, username: 'pattern', hostname: 'web-1.example.com' });
  });

  it('does not apply a pattern to a host that it excludes', () => {
    const found = hosts('Host a\nHost b\nHost * !b\n  User u\n');
    expect([found['a']?.username, found['b']?.username]).toEqual(['u', undefined]);
  });

  it('merges a host that is named twice', () => {
    expect(hosts('Host a\n  User one\nHost a\n  User two\n  Port 24\n')['a']).toMatchObject({
      line: 1,
      username: 'one',
      port: 24,
    });
  });

  it('reads every notation that OpenSSH allows for options', () => {
    const text = '\uFEFFhost "a"\r\n\tHOSTNAME=10.0.0.1\r\n  user = "deploy" # who\r\n\tPort   = 24\r\n';
    expect(hosts(text)['a']).toEqual({ line: 1, name: 'a', hostname: '10.0.0.1', port: 24, username: 'deploy' });
  });

  it('lets a host have no jump hosts', () => {
    const found = hosts('Host direct\n  ProxyJump none\nHost direct far\n  ProxyJump gw\n');
    expect(found['direct']?.jumps).toEqual([]);
    expect(found['far']?.jumps).toEqual([{ host: 'gw', port: null, username: null }]);
  });

  it('reads a proxy command of ssh as a jump host, and reports any other', () => {
    const text = 'Host a\n  ProxyCommand ssh -q -W %h:%p u@gw -p 2222\nHost b\n  ProxyCommand nc %h %p\n';
    expect(hosts(text)['a']?.jumps).toEqual([{ host: 'gw', port: 2222, username: 'u' }]);
    expect(hosts(text)['b']?.jumps).toBeUndefined();
    expect(leftOut(text)['ProxyCommand']).toMatch(/^4 b: /);
  });
});

describe('content of an ssh_config beyond servers', () => {
  it('reports each option once for all blocks', () => {
    const text = 'Host a\n  IdentityFile ~/.ssh/a\nHost b\n  IdentityFile ~/.ssh/b\n  ForwardAgent yes\n';
    expect(leftOut(text)).toEqual({
      IdentityFile: expect.stringMatching(/^2 null ×2: The key file is not in this text/),
      ForwardAgent: '5 b: Runward does not forward an agent.',
    });
  });

  it('leaves out a host whose user depends on where ssh runs', () => {
    const text = 'Host a b\n  User %u\nHost b\n  User own\nHost c\n  User own\nHost *\n  User ${USER}\n';
    expect(Object.values(hosts(text)).map(({ name, username, leftOut: why }) => [name, username, why])).toEqual([
      ['a', undefined, expect.stringContaining('depends on where ssh runs')],
      ['b', undefined, expect.stringContaining('depends on where ssh runs')],
      ['c', 'own', undefined],
    ]);
  });
});

describe('a Match block', () => {
  const LINES_AFTER_MATCH = '  User matched\n  Port 99\n';
  const text = (match: string, block = LINES_AFTER_MATCH) =>
    `Host a\n  HostName a.example.com\nHost b\nMatch ${match}\n${block}Host a b\n  User own\n`;
  const loginOf = (name: string, config: string) => {
    const { username, port, leftOut: why } = hosts(config)[name] ?? {};
    return why === undefined ? `${username}:${port ?? 22}` : 'left out';
  };

  it.each([
    ['all', 'matched:99', 'matched:99'],
    ['host a.example.com', 'matched:99', 'own:22'],
    ['host A.Example.COM', 'matched:99', 'own:22'],
    ['host a', 'own:22', 'own:22'],
    ['host=b', 'own:22', 'matched:99'],
    ['originalhost a', 'matched:99', 'own:22'],
    ['originalhost a,b', 'matched:99', 'matched:99'],
    ['host *,!b', 'matched:99', 'own:22'],
    ['!host b', 'matched:99', 'own:22'],
    ['!originalhost a host *', 'own:22', 'matched:99'],
    ['host a.* originalhost b', 'own:22', 'own:22'],
    ['exec "true"', 'left out', 'left out'],
    ['originalhost b exec "test -f x"', 'own:22', 'left out'],
    ['!exec true originalhost a', 'left out', 'own:22'],
    ['user root', 'left out', 'left out'],
    ['localuser me host b', 'own:22', 'left out'],
    ['address 10.0.0.0/8', 'left out', 'left out'],
    ['localnetwork 10.0.0.0/8', 'left out', 'left out'],
    ['tagged work', 'left out', 'left out'],
    ['final all', 'left out', 'left out'],
    ['canonical host a.example.com', 'left out', 'own:22'],
    ['unheardof x host b', 'own:22', 'left out'],
  ])('is evaluated for the host alone; hosts that need other criteria are left out: %s', (match, a, b) => {
    expect([loginOf('a', text(match)), loginOf('b', text(match))]).toEqual([a, b]);
  });

  it.each([
    ['  ForwardAgent yes\n', 'own:22'],
    ['  Port 99\n', 'left out'],
    ['  HostName x\n', 'left out'],
    ['  ProxyJump gw\n', 'left out'],
    ['  ProxyCommand nc %h %p\n', 'left out'],
    ['  IdentityFile ~/.ssh/other\n', 'left out'],
  ])('with an unknown condition leaves out hosts only where it would change the connection: %j', (block, login) => {
    expect(loginOf('b', text('exec true', block))).toBe(login);
    expect(hosts(text('exec true', LINES_AFTER_MATCH))['a']?.leftOut).toContain('line 4');
  });

  it('with an unknown condition does not change what an earlier line sets', () => {
    const config =
      'Host a\n  User own\n  Port 24\n  ProxyJump none\nMatch exec true\n  User x\n  Port 99\n  ProxyJump g\n';
    expect(loginOf('a', config)).toBe('own:24');
  });

  it('is evaluated again with the address of a later line', () => {
    const config = 'Host a\nMatch host a.example.com\n  User x\nHost a\n  HostName a.example.com\n';
    expect(loginOf('a', config)).toBe('undefined:22');
    expect(loginOf('a', `${config}Match final host none\n  Port 99\n`)).toBe('left out');
  });
});

describe('faults of an ssh_config', () => {
  it.each([
    ['Include conf.d/*\nHost a\n', ['1 Include include']],
    ['Host a\n  Port many\n', ['2 a bad_value']],
    ['Host a\n  Port 70000\n', ['2 a bad_value']],
    ['Host a\n  HostName %n.example.com\n', ['2 a bad_value']],
    ['Host a\n  User\n', ['2 null missing_value']],
    ['Host\n', ['1 null missing_value']],
    ['Host "a\n', ['1 null unclosed_quote']],
    ['', ['null null no_hosts']],
  ])('names line and entry: %j', (text, expected) => {
    expect(faults(text)).toEqual(expected);
  });

  it('says what to do about an included file', () => {
    expect(message('Include x')).toContain('"ssh -G NAME"');
  });
});
