import { describe, expect, it } from 'vitest';
import { emptyVariable, formOf } from '../form/plan-form';
import { emptyStep } from '../form/step-form';
import { type Grammar, namesFor, type Names } from './names';
import { offersAt } from './offers';

const names: Names = {
  variables: [
    { name: 'RELEASE', detail: 'string', secret: false },
    { name: 'TOKEN', detail: 'secret', secret: true },
  ],
  earlier: [{ key: 'build', outputs: ['version'] }],
  later: ['deploy'],
  item: false,
};
/** Returns the offers at the position of `^`. */
const at = (text: string, grammar: Grammar = 'text', known = names, requested = false) =>
  offersAt(text.replace('^', ''), text.indexOf('^'), known, grammar, requested);
const labels = (...given: Parameters<typeof at>) => at(...given)?.offers.map(({ label }) => label) ?? null;
/** Returns the text after the first offer was accepted. */
function taken(text: string, grammar: Grammar = 'text'): string {
  const caret = text.indexOf('^');
  const offering = at(text, grammar);
  return text.slice(0, offering?.from) + (offering?.offers[0]?.insert ?? '') + text.slice(caret + 1);
}

describe('offers within braces', () => {
  it('are variables, results of earlier steps, and what is known of the host', () => {
    const all = labels('echo {{^');
    expect(all?.slice(0, 3)).toEqual(['RELEASE', 'TOKEN', 'steps.build.outputs.version']);
    expect(all).toEqual(expect.arrayContaining(['host.name', 'host.tags.', 'host.facts.os', 'steps.build.changed']));
    expect(all).not.toContain('item');
    expect(all?.some((label) => label.startsWith('steps.deploy'))).toBe(false);
  });

  it('have the item where the step runs for each of a list', () => {
    expect(labels('{{ it^', 'text', { ...names, item: true })?.[0]).toBe('item');
  });

  it('are those with the word that was begun, first those that begin with it', () => {
    expect(labels('{{ rel^')).toEqual(['RELEASE']);
    expect(labels('{{ version^')).toEqual([
      'steps.build.outputs.version',
      'host.facts.osVersion',
      'host.facts.kernelVersion',
      'host.facts.pythonVersion',
    ]);
    expect(labels('{{ nothing^')).toBeNull();
  });

  it('are filters behind a bar', () => {
    expect(labels('{{ RELEASE | up^ }}')).toEqual(['upcase', 'upper']);
    expect(labels('{{ RELEASE |^ }}')).toContain('default');
  });

  it('are none outside of braces, behind closed ones and within quotes', () => {
    expect(labels('echo REL^')).toBeNull();
    expect(labels('{{ RELEASE }} REL^')).toBeNull();
    expect(labels('{{ RELEASE | default: "RE^')).toBeNull();
    expect(labels('{% raw %}{{ a }}^')).toBeNull();
  });

  it('include tags in conditions', () => {
    expect(labels('{% if REL^')).toEqual(['RELEASE']);
    expect(labels('{% i^')).toBeNull();
  });

  it('leave secrets out where they may not stand', () => {
    expect(labels('{{ TOK^', 'argument')).toBeNull();
    expect(labels('TOK^', 'condition')).toBeNull();
    expect(labels('{{ TOK^', 'value')).toEqual(['TOKEN']);
  });

  it('are only variables for a whole value', () => {
    expect(labels('{{^', 'value')).toEqual(['RELEASE', 'TOKEN']);
  });
});

describe('taking an offer', () => {
  it('closes the braces once, with spaces around the name', () => {
    expect(taken('echo {{^')).toBe('echo {{ RELEASE }}');
    expect(taken('echo {{ re^ now')).toBe('echo {{ RELEASE }} now');
    expect(taken('echo {{ re^ }}')).toBe('echo {{ RELEASE }}');
  });

  it('leaves the braces open where more must follow', () => {
    expect(taken('{{ host.ta^')).toBe('{{ host.tags.');
  });
});

describe('offers in a condition', () => {
  it('appear with the first letter or on request', () => {
    expect(labels('REL^', 'condition')).toEqual(['RELEASE']);
    expect(labels('^', 'condition')).toBeNull();
    expect(labels('^', 'condition', names, true)?.[0]).toBe('RELEASE');
    expect(labels('RELEASE == "v1" and steps.build.ch^', 'condition')).toEqual(['steps.build.changed']);
    expect(labels('RELEASE == "hos^', 'condition')).toBeNull();
  });

  it('put in the bare name', () => {
    expect(taken('not steps.build.ch^', 'condition')).toBe('not steps.build.changed');
  });
});

describe('names of a step in the form', () => {
  it('are outputs of steps before it only, and those that a call hands on', () => {
    const steps = [
      { ...emptyStep([]), key: 'build', outputs: ['version'] },
      { ...emptyStep([]), key: 'call', type: 'plan' as const, outputsFrom: 'url=up.url\nport = up.port' },
      { ...emptyStep([]), key: 'deploy', repeats: 'items' as const, items: ['a'] },
    ];
    const variables = [{ ...emptyVariable(), name: 'KEY', type: 'secret' as const }, emptyVariable()];
    expect(namesFor({ ...formOf(null), steps, variables }, 2)).toEqual({
      variables: [{ name: 'KEY', detail: 'secret', secret: true }],
      earlier: [
        { key: 'build', outputs: ['version'] },
        { key: 'call', outputs: ['url', 'port'] },
      ],
      later: ['deploy'],
      item: true,
    });
    expect(namesFor({ steps, variables }, 0)).toMatchObject({ earlier: [], item: false });
  });
});
