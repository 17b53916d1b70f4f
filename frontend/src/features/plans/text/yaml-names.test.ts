import { yamlLanguage } from '@codemirror/lang-yaml';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { conditionStart, namesInYaml } from './yaml-names';

const text = `name: Deploy
variables:
  - name: RELEASE
    type: string
  - type: secret # never shown
    name: "TOKEN"
steps:
  - key: build
    command: |
      key: no-field
      make
    outputs:
      - version
      - size
  - key: call
    plan: other
    outputsFrom:
      url: up.url
  - key: short
    outputs: [a, b]
    command: x
  - key: last
    forEach: [x, y]
    command: echo {{
  - key: behind
`;
const stateOf = (doc: string) => EditorState.create({ doc, extensions: yamlLanguage });
const namesAt = (part: string, plan = text) => namesInYaml(stateOf(plan), plan.indexOf(part) + part.length);

describe('names of a text in YAML', () => {
  it('are its variables, and steps before the line with their outputs', () => {
    expect(namesAt('echo {{')).toMatchObject({
      variables: [
        { name: 'RELEASE', secret: false },
        { name: 'TOKEN', secret: true },
      ],
      earlier: [
        { key: 'build', outputs: ['version', 'size'] },
        { key: 'call', outputs: ['url'] },
        { key: 'short', outputs: ['a', 'b'] },
      ],
      later: ['last', 'behind'],
      item: true,
    });
    expect(namesAt('make')).toMatchObject({ earlier: [], item: false });
  });

  it('are found in lists at the margin too', () => {
    const flatPlan = [
      'variables:',
      '- name: A',
      'steps:',
      '- key: one',
      '  outputs:',
      '  - x',
      '- key: two',
      '  command: ',
    ].join('\n');
    expect(namesAt('command:', flatPlan)).toMatchObject({
      variables: [{ name: 'A' }],
      earlier: [{ key: 'one', outputs: ['x'] }],
      later: ['two'],
    });
  });

  it('are those before an unfinished value', () => {
    for (const value of ['"echo {{ ', "'{{ ", '{{ ', '[{{ ', 'echo {{ ', '|\n      {{ ']) {
      const typed = text.replace('echo {{', value);
      expect([value, namesAt('{{ ', typed)]).toMatchObject([
        value,
        {
          variables: [{ name: 'RELEASE' }, { name: 'TOKEN' }],
          earlier: [{ key: 'build' }, { key: 'call' }, { key: 'short' }],
          item: true,
        },
      ]);
    }
  });

  it('include what comes after an unfinished value', () => {
    for (const value of ['"echo {{ ', "'{{ ", '{{ ', '[{{ ', '"{{ A }}"']) {
      const typed = `steps:\n  - key: one\n    command: ${value}\n    forEach: [x]\nvariables:\n  - name: "AFTER"\n`;
      expect([value, namesAt('{{ ', typed)]).toMatchObject([value, { variables: [{ name: 'AFTER' }], item: true }]);
    }
  });
});

describe('a condition in YAML', () => {
  /** Offset of the start of the condition at the end of a text. */
  const startIn = (doc: string) => conditionStart(stateOf(doc), doc.length);

  it('is the value of `when`, whose names are bare', () => {
    expect(startIn('    when: steps')).toBe(10);
    expect(startIn('  - when: "steps')).toBe(11);
    expect(startIn('    when: a == "x" and ')).toBe(10);
    expect(startIn('    when: ')).toBe(10);
    expect(startIn('- {key: a, when: steps')).toBe(17);
    expect(startIn('- when: >\n    steps')).toBe(10);
    expect(startIn('    command: when')).toBeNull();
    expect(startIn('- command: |\n    when: steps')).toBeNull();
    expect(startIn('- when: a\n  ')).toBeNull();
    expect(startIn('- when: a # steps')).toBeNull();
  });
});
