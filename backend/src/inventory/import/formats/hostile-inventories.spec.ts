import { describe, expect, it } from '@jest/globals';
import { IMPORT_FORMATS, type ImportFormat } from './import-formats.ts';
import type { InventoryText } from './texts/inventory-text.ts';
import readInventoryText from './inventory-thread.ts';

const codes = (format: ImportFormat, content: string) =>
  readInventoryText({ format, content }).faults.map(({ code }) => code);

/** Valid texts with many features of each format. Mutations of them reach deep into the readers. */
const VALID: Readonly<Record<ImportFormat, string>> = {
  json: '[{"name": "a", "externalId": "1", "hostname": "b", "port": 22, "tags": {"k": "v"}, "variables": {"x": [1, "y"]}, "hostKey": {"publicKey": "k"}, "jumps": [{"host": "j"}]}]',
  'ansible-ini': `lone:22 x="a b" # c\n[web]\nweb[01:03] ansible_user=u y="['a', 1]"\n[db]\ndb-[a:c]:22\n[site:children]\nweb\ndb\n[site:vars]\nz = 1.0\nansible_ssh_common_args='-o ProxyCommand="ssh -W %h:%p u@gw"'\n`,
  'ansible-yaml': `---\nall:\n  vars: &v {x: 1, y: [a, b]}\n  children:\n    web:\n      hosts:\n        web[01:03]:\n          <<: *v\n          s: |\n            text\n        "db:22": {p: !vault 'x'}\n`,
  'ansible-json':
    '{"_meta": {"hostvars": {"a": {"x": 1, "ansible_host": "b"}}}, "web": {"hosts": ["a"], "vars": {"y": [1]}, "children": ["sub"]}, "sub": ["c"]}',
  'ssh-config':
    'Port 22\nHost a b-* !c\n  HostName %h.x\n  ProxyJump u@j:22,k\nHost *\n  ProxyCommand ssh -W %h:%p "gw"\nMatch all\n  User u\n',
};

function randomNumbers(seed: number): (randomBelow: number) => number {
  let state = seed;
  return (randomBelow) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * randomBelow);
  };
}

function mutated(text: string, random: (randomBelow: number) => number): string {
  const pieces = [
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ':',
    ',',
    '\n',
    '\t',
    ' ',
    '#',
    '*',
    '&',
    '<<',
    '!',
    '%',
    '\\',
    '=',
    '-',
    '\0',
    '\uD800',
    '{{',
    '[1:9]',
    '?',
    '|',
    '@',
    '__proto__',
    '0',
    '~',
    '\r',
    '\u2028',
  ];
  let result = text;
  for (let times = random(5); times >= 0; times -= 1) {
    const at = random(result.length + 1);
    const cut = random(3) === 0 ? random(8) : 0;
    const added =
      random(4) === 0 ? result.slice(random(result.length), random(result.length)) : pieces[random(pieces.length)];
    result = result.slice(0, at) + (added ?? '') + result.slice(at + cut);
  }
  return result.slice(0, 5000);
}

describe('texts that are not inventories', () => {
  it.each(IMPORT_FORMATS)('returns either hosts or faults for damaged %s and never throws', (format) => {
    const random = randomNumbers(20_261_122);
    for (let times = 0; times < 1500; times += 1) {
      const content = mutated(VALID[format], random);
      const { hosts, faults } = readInventoryText({ format, content });
      expect([content, hosts.length > 0]).toEqual([content, faults.length === 0]);
      expect([content, faults.map(({ code }) => code)]).not.toEqual([content, ['unreadable']]);
    }
  });

  it.each(IMPORT_FORMATS)('returns faults for %s in any other format', (format) => {
    for (const content of [
      ...Object.values(VALID),
      'a',
      '<html>',
      '\0',
      '\uFEFF',
      '\n\n',
      '[',
      '{',
      '---',
      '%',
      'Host',
      '"'.repeat(99),
    ]) {
      const { hosts, faults }: InventoryText = readInventoryText({ format, content });
      expect([content, hosts.length > 0]).toEqual([content, faults.length === 0]);
      expect(faults.map(({ code }) => code)).not.toContain('unreadable');
    }
  });

  it('rejects NUL characters with their line', () => {
    for (const format of IMPORT_FORMATS) {
      expect(readInventoryText({ format, content: 'a\nb\0' }).faults).toMatchObject([
        { line: 2, code: 'forbidden_character' },
      ]);
    }
    expect(codes('json', '[{"name": "a\\u0000"}]')).toEqual(['forbidden_character']);
    expect(codes('ansible-yaml', 'all: {hosts: {"a\\0": }}')).toEqual(['forbidden_character']);
  });

  it('never reaches a prototype', () => {
    const yaml =
      'all:\n  __proto__: {x: 1}\n  hosts:\n    __proto__: {polluted: 1}\n    a: {__proto__: {polluted: 1}, constructor: 1}\n';
    expect(readInventoryText({ format: 'ansible-yaml', content: yaml }).hosts.map(({ name }) => name)).toEqual([
      '__proto__',
      'a',
    ]);
    const json =
      '{"__proto__": {"hosts": ["__proto__"]}, "_meta": {"hostvars": {"__proto__": {"__proto__": {"polluted": 1}}}}}';
    expect(readInventoryText({ format: 'ansible-json', content: json }).faults).toEqual([]);
    expect(codes('ansible-ini', '[__proto__]\na __proto__=1\n[constructor]\na\n')).toEqual([]);
    expect(codes('ssh-config', 'Host __proto__\n  __proto__ x\n  constructor y\n')).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });
});

describe('texts that expand to more than their length', () => {
  it('counts ranges before it expands them', () => {
    expect(codes('ansible-ini', 'web[1:1000000000]')).toEqual(['too_many_hosts']);
    expect(codes('ansible-ini', 'a[1:99999]b[1:99999]c[1:99999]d[1:99999]')).toEqual(['too_many_hosts']);
    expect(codes('ansible-ini', Array.from({ length: 11 }, (_, line) => `w${line}-[1:1000]`).join('\n'))).toEqual([
      'too_many_hosts',
    ]);
    expect(codes('ansible-yaml', 'all: {hosts: {"a[1:999999999999999]": }}')).toEqual(['too_many_hosts']);
    expect(readInventoryText({ format: 'ansible-ini', content: 'w[1:10000]' }).hosts).toHaveLength(10_000);
  });

  it('rejects the same ten thousand hosts repeated many times', () => {
    expect(codes('ansible-ini', 'w[1:10000] a=1 b=2 c=3\n'.repeat(5000))).toEqual(['too_involved']);
  });

  it('rejects a long value that a group gives to all of its hosts', () => {
    const variables = Array.from({ length: 90 }, (_, index) => `v${index}=${'x'.repeat(9000)}`).join('\n');
    expect(codes('ansible-ini', `w[1:10000]\n[all:vars]\n${variables}`)).toEqual(['too_large']);
  });

  it('rejects aliases of aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 30; level += 1) {
      lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
    }
    expect(codes('ansible-yaml', lines.join('\n'))).toEqual(['too_many_aliases']);
    const groups = ['g0: &g0 {hosts: {h: }}'];
    for (let level = 1; level < 30; level += 1) {
      groups.push(`g${level}: &g${level} {children: {a${level}: *g${level - 1}, b${level}: *g${level - 1}}}`);
    }
    expect(codes('ansible-yaml', groups.join('\n'))).toEqual(['too_many_aliases']);
  });

  it('rejects merge keys that copy repeatedly', () => {
    const base = Array.from({ length: 2000 }, (_, index) => `k${index}: 1`).join(', ');
    const merging = Array.from({ length: 2000 }, (_, index) => `m${index}: {<<: *b}`).join('\n');
    expect(codes('ansible-yaml', `b: &b {${base}}\n${merging}`)).toEqual(['too_many_aliases']);
  });

  it.each([
    ['ansible-yaml', '['.repeat(100_000).replace(/.{90}/g, '$&\n')],
    ['ansible-yaml', `a: ${'{a: '.repeat(20_000)}`],
    ['ansible-yaml', '- '.repeat(40_000)],
    ['ansible-yaml', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['ansible-yaml', `a: ${'['.repeat(100)}${']'.repeat(100)}`],
    ['json', '['.repeat(1_000_000)],
    ['json', '{"a":'.repeat(100_000)],
    ['ansible-json', `{"a": ${'['.repeat(500_000)}`],
  ] as const)('rejects deep nesting in %s', (format, content) => {
    expect(codes(format, content)).toEqual(['too_deep']);
  });

  it('rejects too many groups, groups of one host, variables, names and lines that are too long', () => {
    const groups = (count: number) => Array.from({ length: count }, (_, index) => `[g${index}]\n`);
    expect(codes('ansible-ini', `h\n${groups(2001).join('')}`)).toEqual(['too_many_groups']);
    expect(codes('ansible-ini', groups(251).join('h\n') + 'h\n')).toEqual(['too_many_groups']);
    const variables = Array.from({ length: 101 }, (_, index) => `v${index}=1`).join(' ');
    expect(codes('ansible-ini', `h ${variables}`)).toEqual(['too_many_variables']);
    expect(codes('ansible-ini', `h x=${'y'.repeat(10_001)}`)).toEqual(['variable_too_long']);
    expect(codes('ansible-ini', 'h'.repeat(101))).toEqual(['name_too_long']);
    expect(codes('ansible-ini', `[${'g'.repeat(101)}]\nh`)).toEqual(['name_too_long']);
    for (const format of ['ansible-ini', 'ansible-yaml', 'ssh-config'] as const) {
      expect(codes(format, `a\n# ${'x'.repeat(100_000)}`)).toEqual(['line_too_long']);
    }
    expect(codes('ssh-config', `Host ${'a'.repeat(101)}`)).toEqual(['name_too_long']);
    const servers = Array.from({ length: 10_001 }, (_, index) => ({ name: `s${index}` }));
    expect(codes('json', JSON.stringify(servers))).toEqual(['too_many_hosts']);
    const hosts = Array.from({ length: 10_001 }, (_, index) => `Host s${index}`).join('\n');
    expect(codes('ssh-config', hosts)).toEqual(['too_many_hosts']);
  });

  it('rejects more nested groups than a host can be in', () => {
    const chain = Array.from({ length: 1500 }, (_, index) => `[g${index + 1}:children]\ng${index}`).join('\n');
    expect(codes('ansible-ini', `[g0]\nh[1:10000]\n${chain}`)).toEqual(['too_many_groups']);
  });

  it('rejects a YAML text with more tokens than it can read in time', () => {
    expect(codes('ansible-yaml', 'b: a\n'.repeat(260_000))).toEqual(['too_large']);
    expect(codes('ansible-yaml', `a: [${`${'b,'.repeat(1000)}\n `.repeat(800)}]`)).toEqual(['too_large']);
    expect(codes('json', `[${'1,'.repeat(2_000_001)}1]`)).toEqual(['too_large']);
    expect(codes('ansible-yaml', `a: 1\n${']\n'.repeat(200_000)}`)).toEqual(['invalid_yaml']);
  });

  it.each(IMPORT_FORMATS)('recognizes a text that ansible-vault encrypted: %s', (format) => {
    const content = '\uFEFF\n$ANSIBLE_VAULT;1.2;AES256;prod\n3336396532626130\n6133\n';
    expect(readInventoryText({ format, content })).toMatchObject({
      hosts: [],
      faults: [{ line: 1, code: 'encrypted' }],
    });
  });

  it('limits the number of listed findings', () => {
    const many = Array.from({ length: 1500 }, (_, index) => `bad-${index}=1`).join(' ');
    const { notCarried, moreNotCarried } = readInventoryText({ format: 'ansible-ini', content: `h ${many}` });
    expect([notCarried.length, moreNotCarried]).toEqual([1000, 500]);
  });

  it('matches patterns that would take exponential time as regular expressions', () => {
    const pattern = `${'a*'.repeat(40)}b`;
    const content = `Host ${'a'.repeat(100)}\n${`Host ${pattern}\n  User u\n`.repeat(500)}`;
    expect(readInventoryText({ format: 'ssh-config', content }).hosts[0]?.username).toBeUndefined();
  });

  it('reads ten thousand hosts with several variables', () => {
    const lines = Array.from(
      { length: 10_000 },
      (_, index) => `w${index} ansible_host=10.0.${index >> 8}.${index & 255} a=1 b=x c="[1, 2]"`,
    );
    expect(readInventoryText({ format: 'ansible-ini', content: `[web]\n${lines.join('\n')}` }).hosts).toHaveLength(
      10_000,
    );
  });
});
