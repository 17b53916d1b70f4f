import { describe, expect, it } from '@jest/globals';
import { textReader } from '../../../../../test/support/inventory-texts.js';

const { hosts, leftOut, faults } = textReader('ansible-ini');

const jumps = (args: string) => hosts(`h ansible_ssh_common_args='${args}'`)['h']?.jumps;
const jump = (host: string, port: number | null = null, username: string | null = null) => ({ host, port, username });

describe('legacy algorithms in ssh arguments', () => {
  it.each([
    ['-o HostKeyAlgorithms=+ssh-rsa -o PubkeyAcceptedAlgorithms=+ssh-rsa', true],
    ['-oKexAlgorithms=+diffie-hellman-group14-sha1', true],
    ['-c aes128-cbc', true],
    ['-m hmac-md5', true],
    ['-J gw -o Ciphers=+aes256-cbc', true],
    ['-o Ciphers=aes256-ctr -o Ciphers=+aes256-cbc', undefined],
    ['-o KexAlgorithms=+curve25519-sha256', undefined],
  ])('reads %s', (args, expected) => {
    expect(hosts(`h ansible_ssh_common_args='${args}'`)['h']?.legacyAlgorithms).toBe(expected);
    expect(hosts(`h ansible_ssh_common_args='-J gw' ansible_ssh_extra_args='${args}'`)['h']?.legacyAlgorithms).toBe(
      expected,
    );
  });
});

describe('login timeouts', () => {
  it.each([
    ['ansible_timeout=60', 60, 0],
    ['ansible_timeout=60 ansible_ssh_timeout=70', 70, 0],
    ["ansible_timeout=60 ansible_ssh_args='-o ConnectTimeout=80'", 80, 0],
    ['ansible_timeout=300', undefined, 1],
    ["ansible_ssh_common_args='-o ConnectTimeout=1'", undefined, 1],
  ])('are read from %s', (variables, seconds, without) => {
    const text = `h ${variables}`;
    expect(hosts(text)['h']?.loginTimeoutSeconds).toBe(seconds);
    expect(Object.keys(leftOut(text))).toHaveLength(without);
  });
});

describe('jump hosts in ssh arguments', () => {
  it.each([
    ['-o ProxyJump=bastion', [jump('bastion')]],
    ['-oProxyJump=u@bastion:2222', [jump('bastion', 2222, 'u')]],
    ['-o "ProxyJump a,b"', [jump('a'), jump('b')]],
    ['-J u@[2001:db8::1]:22', [jump('2001:db8::1', 22, 'u')]],
    ['-J ssh://u@gw:22', [jump('gw', 22, 'u')]],
    ['-Cv -Jgw', [jump('gw')]],
    ['-o ProxyCommand="ssh -W %h:%p bastion"', [jump('bastion')]],
    ['-o ProxyCommand="ssh -W %h:%p -q u@bastion -p 2222"', [jump('bastion', 2222, 'u')]],
    ['-o ProxyCommand="ssh -i ~/k -l u bastion -W [%h]:%p"', [jump('bastion', null, 'u')]],
    ['-o ProxyCommand="ssh -J a -W %h:%p b"', [jump('a'), jump('b')]],
    ['-o ProxyCommand="ssh -W %h:%p u@b -o ProxyCommand=none"', [jump('b', null, 'u')]],
    ['-o ProxyJump=none', []],
    ['-o ProxyJump=a -o ProxyJump=b', [jump('a')]],
    ['-o StrictHostKeyChecking=no', undefined],
    ['', undefined],
  ])('reads %s', (args, expected) => {
    expect(jumps(args)).toEqual(expected);
  });

  it.each([
    'nc -X 5 -x proxy:1080 %h %p',
    'ssh bastion nc %h %p',
    'ssh -W %h:22 bastion',
    'cloudflared access ssh %h',
    'ssh -p x -W %h:%p b',
  ])('rejects the proxy command %s', (command) => {
    const text = `h ansible_ssh_common_args='-o ProxyCommand="${command}"'`;
    expect(hosts(text)['h']?.jumps).toBeUndefined();
    expect(leftOut(text)['ansible_ssh_common_args: ProxyCommand']).toContain('1 h: Of proxy commands');
  });

  it('uses the first one on the command line that Ansible builds', () => {
    const text = "h ansible_ssh_extra_args='-J extra' ansible_ssh_common_args='-J common' ansible_ssh_args='-C'";
    expect(hosts(text)['h']?.jumps).toEqual([jump('common')]);
  });

  it('lets a host drop the jump hosts of its group', () => {
    const text =
      "[g]\na\nb ansible_ssh_common_args='-J none'\nc ansible_ssh_common_args=''\n[g:vars]\nansible_ssh_common_args=-J gw\n";
    const found = hosts(text);
    expect([found['a']?.jumps, found['b']?.jumps, found['c']?.jumps]).toEqual([[jump('gw')], [], undefined]);
  });

  it('reports other options without their values', () => {
    const text = "h ansible_ssh_common_args='-o ControlPath=/hunter2 -F /hunter2 -A -o ProxyJump=gw'";
    expect(Object.keys(leftOut(text)).sort()).toEqual([
      'ansible_ssh_common_args: -A',
      'ansible_ssh_common_args: -F',
      'ansible_ssh_common_args: ControlPath',
    ]);
    expect(JSON.stringify(leftOut(text))).not.toContain('hunter2');
  });

  it('reports the options of a group once for all of its hosts', () => {
    const text = '[g]\nh[1:9]\n[g:vars]\nansible_ssh_common_args=-o ControlMaster=auto\n';
    expect(leftOut(text)['ansible_ssh_common_args: ControlMaster']).toMatch(/^4 g: /);
  });

  it('rejects an unclosed quote', () => {
    expect(faults(`h\n[all:vars]\nansible_ssh_common_args=-o "ProxyJump=gw`)).toEqual(['3 all unclosed_quote']);
  });
});
