import { describe, expect, it } from '@jest/globals';
import { textReader } from '../../../../../test/support/inventory-texts.js';

const { read, hosts, leftOut, faults, message } = textReader('ansible-ini');

const valueOf = (word: string) => hosts(`web x=${word}`)['web']?.variables?.['x'];

describe('hosts of an INI inventory', () => {
  it('reads names, addresses, ports and users, with the line of each', () => {
    expect(read('[web]\nweb-1 ansible_host=10.0.0.1 ansible_port=2222 ansible_user=deploy\nweb-2\n').hosts).toEqual([
      {
        line: 2,
        name: 'web-1',
        hostname: '10.0.0.1',
        port: 2222,
        username: 'deploy',
        tags: { 'group.web': 'true' },
      },
      { line: 3, name: 'web-2', hostname: 'web-2', tags: { 'group.web': 'true' } },
    ]);
  });

  it('merges a host of several groups, and the last value wins', () => {
    const { web } = hosts('[a]\nweb x=1 y=1\n[b]\nweb x=2\n');
    expect(web).toMatchObject({ line: 2, variables: { x: 2, y: 1 }, tags: { 'group.a': 'true', 'group.b': 'true' } });
  });

  it('reads a port after the name, which a variable overrides', () => {
    const found = hosts('web:2222\ndb:2222 ansible_port=22\n[2001:db8::1]:2200\n2001:db8::2\n[2001:db8::3]\n');
    const ports = Object.values(found).map(({ name, port }) => [name, port]);
    expect(ports).toEqual([
      ['web', 2222],
      ['db', 22],
      ['2001:db8::1', 2200],
      ['2001:db8::2', undefined],
      ['2001:db8::3', undefined],
    ]);
  });

  it('prefers the older names of connection variables to the current ones, as Ansible does', () => {
    const { web } = hosts(
      'web ansible_ssh_host=10.0.0.1 ansible_host=10.0.0.2 ansible_ssh_user=old ansible_ssh_port=23',
    );
    expect(web).toMatchObject({ hostname: '10.0.0.1', username: 'old', port: 23 });
  });

  it('puts hosts before the first section in no group', () => {
    expect(hosts('alone\n[web]\nw').alone?.tags).toBeUndefined();
  });

  it('reads tabs, Windows line ends, a byte order mark and both kinds of comments', () => {
    const found = hosts('\uFEFF# a\r\n; b\r\n[web]  # c\r\n\tweb-1\tx=1\t# d\r\n  web-2   y="a # b"  \r\n');
    expect(found['web-1']?.variables).toEqual({ x: 1 });
    expect(found['web-2']?.variables).toEqual({ y: 'a # b' });
  });
});

describe('values of an INI inventory', () => {
  it.each([
    ['1', 1],
    ['-5', -5],
    ['0x1f', 31],
    ['1_000', 1000],
    ['1.5', 1.5],
    ['True', true],
    ['False', false],
    ['"a b"', 'a b'],
    ["'a b'", 'a b'],
    ['a\\ b', 'a b'],
    [`"'1'"`, '1'],
    [`"['a', 1, True]"`, ['a', 1, true]],
    ['"(1, 2)"', [1, 2]],
    ['80,443', [80, 443]],
    ['[]', []],
  ])('reads %s as Ansible does', (word, value) => {
    expect(valueOf(word)).toEqual(value);
  });

  it.each([
    ['yes', 'yes'],
    ['true', 'true'],
    ['0644', '0644'],
    ['10.0.0.1', '10.0.0.1'],
    ['a,b', 'a,b'],
    ['b=c=d', 'b=c=d'],
    ['"[1,"', '[1,'],
    ['', ''],
    ['007', '007'],
  ])('keeps %s as text', (word, value) => {
    expect(valueOf(word)).toBe(value);
  });

  it('keeps as text what would be printed differently as a number', () => {
    expect(valueOf('2.0')).toBe('2.0');
    expect(valueOf('12345678901234567890')).toBe('12345678901234567890');
  });

  it('treats None as no value, also where a group has one', () => {
    expect(hosts('[web]\nw x=None\n[web:vars]\nx=1').w?.variables).toBeUndefined();
  });

  it('reads values of :vars sections to the end of the line', () => {
    const { w } = hosts('[web]\nw\n[web:vars]\na = some words\nb=1 # one\nc="quoted"\nd=a # b\n');
    expect(w?.variables).toEqual({ a: 'some words', b: 1, c: 'quoted', d: 'a # b' });
  });
});

describe('content of an INI inventory beyond servers', () => {
  it('reports templates, nested values and invalid variable names', () => {
    const text = `w a="{{ b }}" c="{'d': 1}" e="[[1]]" f-g=1 __proto__=1 constructor=2\n`;
    expect(hosts(text).w).toEqual({ line: 1, name: 'w', hostname: 'w' });
    expect(Object.keys(leftOut(text)).sort()).toEqual(['__proto__', 'a', 'c', 'constructor', 'e', 'f-g']);
    expect(leftOut(text)['a']).toContain("1 w: Runward does not evaluate Ansible's templates");
  });

  it('never repeats a password', () => {
    const text =
      '[web]\nw ansible_password=hunter2 ansible_become_pass=hunter2 ansible_ssh_pass=hunter2 db_password=hunter2 api_token=hunter2\n';
    expect(Object.keys(leftOut(text))).toHaveLength(5);
    expect(JSON.stringify(read(text))).not.toContain('hunter2');
    const broken =
      'w ansible_password=my hunter2\n[web:vars]\nhunter2\n[web:children]\nhunter2 hunter2\n[web]\nw x="hunter2';
    expect(faults(broken)).toHaveLength(4);
    expect(JSON.stringify(read(broken))).not.toContain('hunter2');
  });

  it('lists a repeated finding of many hosts once, at the first host', () => {
    const text = '[web]\na ansible_become=true\nb ansible_become=true\n';
    expect(leftOut(text)).toEqual({
      ansible_become: expect.stringMatching(/^2 null ×2: Runward runs commands as the login user/),
    });
  });

  it('leaves out hosts that are not reached over SSH, with the reason', () => {
    const text =
      'here ansible_connection=local\nwin ansible_connection=winrm ansible_port=5986\nweb ansible_connection=ssh\n';
    expect(Object.keys(hosts(text))).toEqual(['web']);
    expect(leftOut(text)['here']).toContain('1 here: Runward reaches servers only over SSH');
    expect(leftOut(text)['win']).toContain('not ssh but winrm');
    expect(faults('here ansible_connection=local')).toEqual(['null null no_hosts']);
  });

  it('leaves out a templated value even where a group has a plain one', () => {
    expect(hosts('[web]\nw x={{y}}\n[web:vars]\nx=1').w?.variables).toBeUndefined();
  });
});

describe('faults of an INI inventory', () => {
  it.each([
    ['[web\nweb-1', ['1 [web bad_range']],
    ['[we b]\nweb-1', ['1 null bad_section']],
    ['[web:other]\nweb-1', ['1 null bad_section']],
    ['[web:vars]\nx=1', ['1 web unknown_group']],
    ['[web:children]\ndb', ['2 db unknown_group']],
    ['web x', ['1 web bad_variable']],
    ['a\n[a:vars]\nx\n[a]', ['3 a bad_variable']],
    ['web x="a', ['1 null unclosed_quote']],
    ['[a]\nh\n[a:children]\nb c', ['4 a bad_group']],
    ['web[1:', ['1 web[1: bad_range']],
    ['---\nall:\n', ['1 null wrong_format']],
    ['all:\n', ['1 all: bad_host']],
    ['web ansible_port=ssh', ['1 web bad_value']],
    ['web ansible_port="{{ p }}"', ['1 web template']],
    ['[a]\nw\n[a:vars]\nansible_user="{{ u }}"', ['4 a template']],
    ['', ['null null no_hosts']],
    ['# nothing\n[web]\n', ['null null no_hosts']],
  ])('names line and entry: %j', (text, expected) => {
    expect(faults(text)).toEqual(expected);
  });

  it('reports a template of a group once, and only where it applies', () => {
    const group = '[all:vars]\nansible_host={{ ip }}\n';
    expect(faults(`a\nb\n${group}`)).toEqual(['4 all template']);
    expect(faults(`a ansible_host=10.0.0.1\n${group}`)).toEqual([]);
  });

  it('lists the first faults, and counts further ones', () => {
    const { faults: listed, moreFaults } = read('web x\n'.repeat(50));
    expect(listed.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(moreFaults).toBe(30);
  });

  it('describes the expected content for a text without hosts', () => {
    expect(message('')).toBe(
      'The text contains no host. Write one host per line, in groups such as [web], as in an Ansible INI inventory.',
    );
  });
});
