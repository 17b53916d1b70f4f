import { describe, expect, it } from 'vitest';
import { grammarOfLine, namesInYaml } from './yaml-names';

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
const lines = text.split('\n');
const lineOf = (part: string) => lines.findIndex((line) => line.includes(part));

describe('names of a text in YAML', () => {
  it('are its variables, and steps before the line with their outputs', () => {
    expect(namesInYaml(lines, lineOf('echo {{'))).toMatchObject({
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
    expect(namesInYaml(lines, lineOf('make'))).toMatchObject({ earlier: [], item: false });
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
    ];
    expect(namesInYaml(flatPlan, 7)).toMatchObject({
      variables: [{ name: 'A' }],
      earlier: [{ key: 'one', outputs: ['x'] }],
      later: ['two'],
    });
  });
});

describe('a line of a text in YAML', () => {
  it('is a condition, whose names are bare, or a text with braces', () => {
    expect(grammarOfLine('    when: steps')).toEqual({ grammar: 'condition', start: 10 });
    expect(grammarOfLine('  - when: "steps')).toEqual({ grammar: 'condition', start: 11 });
    expect(grammarOfLine('    command: when')).toEqual({ grammar: 'text', start: 0 });
  });
});
