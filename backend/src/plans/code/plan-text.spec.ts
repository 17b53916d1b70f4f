import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../test/support/seeded-random.js';
import type { YamlTree } from './plan-text.js';
import { readYaml } from './read-yaml.js';
import { writeYaml } from './write-yaml.js';

const write = (sparse: object, base: string | null = null, full: object = sparse) =>
  writeYaml({ sparse: sparse as YamlTree, full: full as YamlTree, synonyms: [['environmentId', 'environment']], base });
const read = (text: string) => {
  const { value, faults } = readYaml(text, 'plan');
  expect(faults).toEqual([]);
  return value;
};
const refusal = (text: string) => {
  const { faults } = readYaml(text, 'plan');
  return faults.map(({ code, place }) => `${code} ${place.line}:${place.column}`);
};

describe('writing a text', () => {
  it('writes long texts as blocks, short lists on one line, and blank lines between steps', () => {
    const command = 'set -e\nsystemctl restart web\n';
    const steps = [
      { key: 'one', command, okExitCodes: [0, 2], mode: '0644' },
      { key: 'two', command: 'true' },
    ];
    expect(write({ name: 'Restart', steps })).toBe(`name: Restart

steps:
  - key: one
    command: |
      set -e
      systemctl restart web
    okExitCodes: [0, 2]
    mode: "0644"

  - key: two
    command: "true"
`);
  });

  it.each([
    ...[
      'yes',
      'No',
      '0644',
      '1e3',
      '12:30',
      '~',
      'null',
      '',
      ' ',
      '#',
      '- a',
      'a: b',
      '{{ x }}',
      '%s',
      '@a',
      '*a',
      '&a',
    ],
    ...[
      'a\n',
      'a\n\n\n',
      '\n',
      '\n\na',
      ' a\nb',
      '\ta\nb',
      'a \nb',
      'a\r\nb',
      'a\rb',
      'a\u0085b',
      'a\u2028b\n',
      '\ufeffa\nb',
    ],
    ...[
      '---\na',
      '...\n',
      'a\u0000'.slice(0, 1),
      '\u001b[0m\nx',
      '\u{1F600}\n\u{1F600}',
      '"',
      "'",
      '\\\n',
      'a\u007f\nb',
    ],
  ])('reads back exactly: %j', (text) => {
    const value = { name: text, list: [text, text], map: { a: text }, long: [{ command: `${text}\n${text}` }] };
    expect(read(write(value))).toEqual(value);
  });

  it('reads back exactly, with any characters', () => {
    const random = seededRandom(20261205);
    const pieces = [
      ...' \t\n\r#:-{}[]%"\'|>&*!@`\\,?=~',
      '\u0085',
      '\u2029',
      '\u001b',
      'a',
      '0',
      'é',
      '\u{1F600}',
      '\n  ',
      ': ',
      ' #',
    ];
    for (let time = 0; time < 400; time += 1) {
      const text = Array.from({ length: 1 + random.int(12) }, () => pieces[random.int(pieces.length)]).join('');
      const value = { name: text, steps: [{ key: 'a', command: text, arguments: [text, 'x'.repeat(30)] }] };
      expect(read(write(value))).toEqual(value);
    }
  });
});

describe('changing a text', () => {
  const base = `# Owned by the web team.
name: Restart   # short
onFailure: stop # the default, said all the same
environment: staging

steps:
  # First things first.
  - key: one
    command: echo 1 # why
  - {key: two, command: echo 2}
`;
  const steps = [
    { key: 'one', command: 'echo 1' },
    { key: 'two', command: 'echo 2' },
  ];
  const sparse = { name: 'Restart', environment: 'staging', steps };
  const full = { ...sparse, onFailure: 'stop', environmentId: 'id-1' };

  it('keeps it byte for byte without changes', () => {
    expect(write(sparse, base, full)).toBe(base);
  });

  it('keeps comments, order and style around changes', () => {
    const [one, two] = steps;
    const changed = {
      ...sparse,
      name: 'Restart web',
      targets: 'role=web',
      steps: [two, { ...one, command: 'echo one' }],
    };
    const text = write(changed, base, { ...full, ...changed });
    expect(read(text)).toEqual({ ...changed, onFailure: 'stop' });
    expect(text).toContain('# Owned by the web team.');
    expect(text).toContain('# the default, said all the same');
    expect(text).toContain('command: echo one # why');
    expect(text).toContain('{ key: two, command: echo 2 }');
    expect(text).toContain('# First things first.');
  });

  it('removes obsolete parts, and rewrites parts that it cannot keep', () => {
    expect(
      read(write({ name: 'Restart', steps }, base, { ...full, onFailure: 'continue', environment: null })),
    ).toEqual({
      name: 'Restart',
      steps,
    });
    expect(read(write(sparse, '{{', full))).toEqual(sparse);
    expect(read(write(sparse, '- a list', full))).toEqual(sparse);
  });

  it('keeps an ID where the text has one', () => {
    const byId = base.replace('environment: staging', 'environmentId: id-1');
    expect(write(sparse, byId, full)).toBe(byId);
  });
});

describe('refused texts', () => {
  it.each([
    ['an alias', 'a: &x 1\nb: *x\n', ['yaml_alias 2:4']],
    ['a merge of an alias', 'a: &x {b: 1}\nc:\n  <<: *x\n', ['yaml_alias 3:7']],
    ['a tag', 'a: !!js/function x\nb: !vault |\n  x\n', ['yaml_tag 1:18', 'yaml_tag 2:11']],
    ['a field twice', 'a: 1\nb: 2\na: 3\n', ['duplicate_field 3:1']],
    [
      'a field with an inherited name',
      '__proto__: 1\nb:\n  constructor: 2\n',
      ['forbidden_field 1:1', 'forbidden_field 3:3'],
    ],
    ['two documents', 'a: 1\n---\nb: 2\n', ['several_documents 3:1']],
    ['a tab as indent', 'a:\n\tb: 1\n', ['invalid_yaml 2:1']],
    ['an unclosed quote', 'a: "b\n', ['invalid_yaml 2:1']],
    ['a number too large', 'a: 12345678901234567890\n', ['number_out_of_range 1:4']],
    ['infinity', 'a: .inf\n', ['number_out_of_range 1:4']],
    ['half of a character', 'a: "\\ud800"\n', ['forbidden_character 1:4']],
    ['NUL', 'a: 1\nb: "\0"\n', ['forbidden_character 2:1']],
    ['a list as a name', '? [a]\n: b\n', ['invalid_yaml 1:3']],
    ['a template without quotes', 'a: {{ b }}\n', ['invalid_yaml 1:5']],
  ])('has the position of its fault: %s', (_, text, expected) => {
    expect(refusal(text)).toEqual(expected);
  });

  it.each([
    ['ever deeper lists', '['.repeat(100_000)],
    ['ever deeper maps', '{a: '.repeat(100_000)],
    ['ever deeper indents', Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
    ['lists in lists', '- '.repeat(100_000)],
    ['a bomb of aliases', `a: &a [x]\n${Array.from({ length: 50 }, (_, n) => `b${n}: &b${n} [*a, *a]`).join('\n')}`],
    ['very many names', Array.from({ length: 40_000 }, (_, n) => `k${n}: 1`).join('\n')],
    ['very many items', '- 1\n'.repeat(100_000)],
    ['very many lines', '\n'.repeat(1_000_000)],
    ['very many anchors', '- &a 1\n'.repeat(100_000)],
    ['a huge text', 'x'.repeat(5_000_000)],
    ['very many commas', `[${','.repeat(2_000_000)}`],
    ['very many question marks', '? '.repeat(200_000)],
    ['very many quotes', '"'.repeat(1_000_000)],
    ['very many comments', '#\n'.repeat(150_000)],
  ])('ends soon, with few faults: %s', (_, text) => {
    const { faults, value } = readYaml(text, 'plan');
    expect(value).toBeNull();
    if (!text.startsWith('#')) expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThanOrEqual(20);
  });
});
