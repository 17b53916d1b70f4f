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

  it('makes a host of each name, but none of a pattern', () => {
    expect(Object.keys(hosts('Host a b web-? !c\nHost *\n  User u\nHost *.example.com\n'))).toEqual(['a', 'b']);
    expect(faults('Host *\n  User u\n')).toEqual(['null null no_hosts']);
  });

  it('takes the first value of an option, also from patterns and from before the first Host', () => {
    const text =
      'Port 23\nHost web-*\n  User pattern\nHost web-1\n  User own\n  Port 24\nHost *\n  User all\n  HostName %h.example.com\n';
    expect(hosts(text)['web-1']).toMatchObject({ port: 23, username: 'pattern', hostname: 'web-1.example.com' });
  });

  it('leaves a host out of patterns that exclude it', () => {
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

  it('reads every way in which OpenSSH lets options be written', () => {
    const text = '\uFEFFhost "a"\r\n\tHOSTNAME=10.0.0.1\r\n  user = "deploy" # who\r\n\tPort   = 24\r\n';
    expect(hosts(text)['a']).toEqual({ line: 1, name: 'a', hostname: '10.0.0.1', port: 24, username: 'deploy' });
  });

  it('lets a host go without jump hosts', () => {
    const found = hosts('Host direct\n  ProxyJump none\nHost direct far\n  ProxyJump gw\n');
    expect(found['direct']?.jumps).toEqual([]);
    expect(found['far']?.jumps).toEqual([{ host: 'gw', port: null, username: null }]);
  });

  it('reads a proxy command of ssh as a jump host, and names any other', () => {
    const text = 'Host a\n  ProxyCommand ssh -q -W %h:%p u@gw -p 2222\nHost b\n  ProxyCommand nc %h %p\n';
    expect(hosts(text)['a']?.jumps).toEqual([{ host: 'gw', port: 2222, username: 'u' }]);
    expect(hosts(text)['b']?.jumps).toBeUndefined();
    expect(leftOut(text)['ProxyCommand']).toMatch(/^4 b: /);
  });
});

describe('what an ssh_config holds beyond servers', () => {
  it('names each option once for all blocks', () => {
    const text = 'Host a\n  IdentityFile ~/.ssh/a\nHost b\n  IdentityFile ~/.ssh/b\n  ForwardAgent yes\n';
    expect(leftOut(text)).toEqual({
      IdentityFile: expect.stringMatching(/^2 null ×2: The key file is not in this text/),
      ForwardAgent: '5 b: Runward forwards no agent.',
    });
  });

  it('leaves out Match blocks with all that stands in them', () => {
    const text = 'Host a\nMatch host a exec "true"\n  User matched\n  Port 99\nHost b\n  User own\n';
    expect(hosts(text)['a']?.username).toBeUndefined();
    expect(hosts(text)['b']?.username).toBe('own');
    expect(Object.keys(leftOut(text))).toEqual(['Match']);
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
    expect(message('Include x')).toContain('Put the text of that file here instead');
  });
});
