import { describe, expect, it } from '@jest/globals';
import { textReader } from '../../../../../test/support/inventory-texts.js';

const { read, hosts, leftOut, faults, message } = textReader('ansible-yaml');

const valueOf = (written: string) => hosts(`all:\n  hosts:\n    h:\n      x: ${written}\n`)['h']?.variables?.['x'];

describe('a YAML inventory', () => {
  it('reads groups, children, hosts and variables, with lines', () => {
    const text = `---
all:
  vars: { region: eu, level: 1 }
  hosts:
    alone:
  children:
    web:
      hosts:
        web[01:02]: { ansible_user: deploy }
      vars:
        level: 2
    site:
      children:
        web:
`;
    expect(read(text).hosts).toEqual([
      { line: 5, name: 'alone', hostname: 'alone', variables: { region: 'eu', level: 1 } },
      ...['web01', 'web02'].map((name) => ({
        line: 9,
        name,
        hostname: name,
        username: 'deploy',
        tags: { 'group.site': 'true', 'group.web': 'true' },
        variables: { region: 'eu', level: 2 },
      })),
    ]);
  });

  it('reads groups at the top level, a plain string as a host, and a port after a name', () => {
    const found = hosts('web:\n  hosts: web-1\ndb:\n  hosts:\n    db-1:2222:\n');
    expect(found['web-1']?.tags).toEqual({ 'group.web': 'true' });
    expect(found['db-1']?.port).toBe(2222);
  });

  it.each([
    ['yes', true],
    ['Off', false],
    ['y', 'y'],
    ['0644', 420],
    ['0o17', '0o17'],
    ['0x1F', 31],
    ['1_000', 1000],
    ['12:30', 750],
    ['1.5', 1.5],
    ['1.0', '1.0'],
    ['1e3', '1e3'],
    ['"0644"', '0644'],
    ["'yes'", 'yes'],
    ['!!str 5', '5'],
    ['2020-01-01', '2020-01-01'],
    ['10.0.0.1', '10.0.0.1'],
    ['[a, 1, no]', ['a', 1, false]],
    ['12345678901234567890', '12345678901234567890'],
    ['~', undefined],
    ['', undefined],
  ])('reads the value %s as Ansible does', (written, value) => {
    expect(valueOf(written)).toEqual(value);
  });

  it('reads multi-line texts', () => {
    expect(valueOf('|\n        one\n        two\n')).toBe('one\ntwo\n');
    expect(valueOf('>-\n        one\n        two\n')).toBe('one two');
  });

  it('reads anchors, aliases and merge keys', () => {
    const text = 'all:\n  hosts:\n    a: &a { x: 1, y: 2 }\n    b: *a\n    c:\n      <<: *a\n      y: 3\n';
    const found = hosts(text);
    expect(found['b']?.variables).toEqual({ x: 1, y: 2 });
    expect(found['c']?.variables).toEqual({ x: 1, y: 3 });
  });

  it('reports encrypted values, unknown tags, nested values and templates', () => {
    const text =
      'all:\n  hosts:\n    h:\n      a: !vault |\n        $ANSIBLE_VAULT;1.1;AES256\n        6162\n      b: !other 1\n      c: {d: 1}\n      e: "{{ f }}"\n      g: [[1]]\n';
    expect(hosts(text)['h']?.variables).toBeUndefined();
    expect(leftOut(text)).toMatchObject({
      a: expect.stringContaining('4 h: Its value is encrypted with Ansible Vault'),
      b: expect.stringContaining('tag !other'),
      c: expect.stringContaining('nested'),
      e: expect.stringContaining('templates'),
      g: expect.stringContaining('nested'),
    });
    expect(JSON.stringify(read(text))).not.toContain('AES256');
  });

  it('reports entries of a group other than hosts, variables and children', () => {
    expect(leftOut('web:\n  hosts: {h: }\n  host_vars: {a: 1}\nnote: some text\n')).toEqual({
      host_vars:
        '3 web: A group can contain only "hosts", "vars" and "children". Put variables of a group under "vars".',
      note: '4 note: It is a text, not a group with "hosts", "vars" or "children".',
    });
  });

  it('uses the last of two entries with the same name, as Ansible does, and reports it', () => {
    const text = 'all:\n  hosts:\n    h:\n      x: 1\n      x: 2\n';
    expect(hosts(text)['h']?.variables).toEqual({ x: 2 });
    expect(leftOut(text)['x']).toMatch(/^5 null: The name occurs twice/);
  });

  it.each([
    ['all:\n  hosts:\n    - a\n    - b\n', ['2 all bad_group']],
    ['all:\n  hosts:\n    a: text\n', ['3 a bad_host']],
    ['- a\n- b\n', ['1 null wrong_format']],
    ['just text', ['1 null wrong_format']],
    ['# note\n\n[web:vars]\nx=1\n', ['3 null wrong_format']],
    ['plugin: aws_ec2\nregions: [eu]\n', ['1 plugin plugin_configuration']],
    ['all:\n  hosts:\n\ta: 1\n', ['3 null invalid_yaml']],
    ['all:\n  hosts: {a: "x}\n', ['3 null invalid_yaml']],
    ['all:\n  hosts: {a: *b}\n', ['2 null invalid_yaml']],
    ['all: {}\n---\nall: {}\n', ['3 null several_documents']],
    ['all:\n  hosts:\n    a:\n      ansible_host: "{{ x }}"\n', ['4 a template']],
    ['', ['null null no_hosts']],
    ['---\n', ['null null no_hosts']],
  ])('names line and entry of a fault: %j', (text, expected) => {
    expect(faults(text)).toEqual(expected);
  });

  it('never repeats a part of invalid YAML', () => {
    for (const text of [
      'a: "hunter2',
      'a: hunter2: b',
      'a: [hunter2',
      '? {hunter2: 1}\n: 2\n',
      '@hunter2',
      'a: b\n hunter2',
    ]) {
      expect(message(text)).not.toBe('');
      expect(JSON.stringify(read(text).faults)).not.toContain('hunter2');
    }
  });
});
