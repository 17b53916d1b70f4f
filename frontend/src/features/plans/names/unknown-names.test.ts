import { describe, expect, it } from 'vitest';
import { emptyVariable } from '../form/plan-form';
import { emptyStep, type StepRow } from '../form/step-form';
import type { Names } from './names';
import { unknownNames } from './unknown-names';
import { unusedVariables } from './used-names';

const names: Names = {
  variables: [{ name: 'RELEASE', detail: 'string', secret: false }],
  earlier: [{ key: 'build', outputs: ['version'] }],
  later: ['deploy', 'tidy'],
  item: false,
};
const inText = (text: string) => unknownNames(text, names, 'text');
const inCondition = (text: string) => unknownNames(text, names, 'condition');

describe('names that mean nothing', () => {
  it('are reported with the most similar name', () => {
    expect(inText('deploy {{ RELAESE }}')).toEqual(['The plan has no variable “RELAESE”. Did you mean “RELEASE”?']);
    expect(inText('{{ other }} {{ other }}')).toEqual(['The plan has no variable “other”.']);
    expect(inText('{{ RELEASE | upcsae }}')).toEqual(['Unknown filter “upcsae”. Did you mean “upcase”?']);
  });

  it('are steps that come later or not at all, and outputs that a step does not have', () => {
    expect(inText('{{ steps.tidy.outputs.x }}')).toEqual(['The step “tidy” does not run before this one.']);
    expect(inText('{{ steps.biuld.changed }}')).toEqual(['No earlier step has the key “biuld”. Did you mean “build”?']);
    expect(inText('{{ steps.build.outputs.versoin }}')).toEqual([
      'The step “build” has no output “versoin”. Did you mean “version”?',
    ]);
    expect(inCondition('steps.build.chnged')).toEqual(['Unknown step field “chnged”. Did you mean “changed”?']);
  });

  it('are facts that hosts do not have, and the item of a step that has none', () => {
    expect(inText('{{ host.facts.ach }}')).toEqual(['Unknown host field “host.facts.ach”. Did you mean “arch”?']);
    expect(inText('{{ item }}')).toHaveLength(1);
    expect(unknownNames('{{ item }}', { ...names, item: true }, 'text')).toEqual([]);
  });
});

describe('names that are fine', () => {
  it.each([
    'echo {{ RELEASE }} {{- RELEASE | default: "x y", allow_false: true -}}',
    '{{ steps.build.outputs.version }} {{ steps["build"].status }} {{ host.name }} {{ host.tags.any-thing }}',
    '{% if RELEASE contains "a" and not host.facts.cpus > 4 %}x{% endif %}',
    '{% for part in RELEASE limit: 2 %}{{ part }} {{ forloop.index }}{% endfor %}{% assign a = "b" %}{{ a }}',
    '{% raw %}{{ whatever }}{% endraw %} {% comment %}{{ this }}{% endcomment %}',
    'not closed {{ RELE',
    '{{ "text" }} {{ 5 }} {{ true }}',
  ])('%s', (text) => {
    expect(inText(text)).toEqual([]);
  });

  it('in conditions', () => {
    expect(inCondition('RELEASE == "v1.x" and steps.build.changed or host.tags.role != \'web\'')).toEqual([]);
    expect(inCondition('')).toEqual([]);
  });
});

describe('variables that are not used', () => {
  const variables = ['A', 'B', ''].map((name) => ({ ...emptyVariable(), name }));
  const unused = (step: Partial<StepRow>) => [
    ...unusedVariables({ variables, steps: [{ ...emptyStep([]), ...step }] }),
  ];

  it('are those that no text names', () => {
    expect(unused({ command: 'x' })).toEqual(['A', 'B']);
    expect(unused({ command: '{{ A }}' })).toEqual(['B']);
    expect(unused({ command: 'x', when: 'A == "1"', check: 'echo ${B}' })).toEqual([]);
    expect(unused({ command: 'x', repeats: 'variable', listName: 'A', unless: 'test $B' })).toEqual([]);
    expect(unused({ type: 'script', arguments: ['--a={{ A }}'] })).toEqual(['B']);
    expect(unused({ type: 'file', path: '/etc/{{ A }}.conf' })).toEqual(['B']);
    expect(unused({ type: 'plan', variables: { X: '{{ A }}', Y: ['{{ B }}'] } })).toEqual([]);
  });

  it('are not counted as used by fields that the type of the step does not have', () => {
    expect(unused({ type: 'gate', command: '{{ A }}', variables: { X: '{{ B }}' } })).toEqual(['A', 'B']);
  });
});
