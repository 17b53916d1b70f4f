import { describe, expect, it } from '@jest/globals';
import type { StepFacts } from '../../plans/rendering/command-facts.js';
import { selectScopeFacts, type FactScope, isPartOfStep } from './scope-facts.js';

const facts = (status: string | null, more: Partial<StepFacts> = {}): StepFacts => ({
  ...{ status, changed: false, exitCode: 0, outputs: {} },
  ...more,
});
const steps = (...keys: string[]) => keys.map((key) => (/[/[]/.test(key) ? { key, scope: SCOPE } : { key }));
const SCOPE = { values: 0, prefix: '', path: [], outer: [] };

describe('a step of a run', () => {
  it.each<[string, string, string, boolean]>([
    ['a', '', 'a', true],
    ['ab', '', 'a', false],
    ['a/x', '', 'a', true],
    ['a[0]', '', 'a', true],
    ['a[0]/x', '', 'a', true],
    ['c/a/x', 'c/', 'a', true],
    ['a/x', 'c/', 'a', false],
    ['b', '', 'a', false],
  ])('%s within %j belongs to %s: %s', (runKey, prefix, key, expected) => {
    expect(isPartOfStep(runKey, prefix, key)).toBe(expected);
  });
});

describe('the facts known to a step', () => {
  it('are unchanged without calls and lists', () => {
    const all = { a: facts('SUCCEEDED'), gone: facts('FAILED') };
    expect(selectScopeFacts({ steps: steps('a', 'b'), callOutputs: {} }, '', all)).toBe(all);
  });

  it('are those of its own plan, by the keys of that plan', () => {
    const all = { a: facts('SUCCEEDED'), 'c/a': facts('FAILED', { exitCode: 3 }), 'c/d/a': facts('SKIPPED') };
    const of = { steps: steps('a', 'c/a', 'c/d/a', 'c/late', 'e'), callOutputs: { c: {}, 'c/d': {} } };
    expect(Object.keys(selectScopeFacts(of, 'c/', all))).toEqual(['a', 'd']);
    expect(selectScopeFacts(of, 'c/', all).a).toEqual(facts('FAILED', { exitCode: 3 }));
    expect(Object.keys(selectScopeFacts(of, '', all))).toEqual(['a', 'c']);
    expect(Object.getPrototypeOf(selectScopeFacts(of, '', all))).toBeNull();
  });

  it.each<[string, (string | null)[], string | null]>([
    ['a success', ['SUCCEEDED', 'SKIPPED'], 'SUCCEEDED'],
    ['a success behind one that was left out', ['SKIPPED', 'SUCCEEDED'], 'SUCCEEDED'],
    ['nothing but left out', ['SKIPPED', 'SKIPPED'], 'SKIPPED'],
    ['one that failed', ['SUCCEEDED', 'FAILED', 'SUCCEEDED'], 'FAILED'],
    ['the first of several that did not succeed', ['TIMED_OUT', 'FAILED'], 'TIMED_OUT'],
    ['one that failed behind one without a result', [null, 'SUCCEEDED', 'FAILED'], 'FAILED'],
    ['some without a result', [null, 'SUCCEEDED'], 'SUCCEEDED'],
    ['some without a result beside what was left out', [null, 'SKIPPED'], 'SKIPPED'],
    ['none with a result', [null, null], null],
  ])('combine a call or a list into one: %s', (_, statuses, expected) => {
    for (const key of ['c/', 'c[']) {
      const keys = statuses.map((_status, index) => `${key}${index}${key === 'c[' ? ']' : ''}`);
      const all = Object.fromEntries(keys.map((each, index) => [each, facts(statuses[index] ?? null)]));
      const callOutputs: FactScope['callOutputs'] = key === 'c/' ? { c: {} } : {};
      expect(selectScopeFacts({ steps: steps(...keys), callOutputs }, '', all).c).toEqual({
        ...{ status: expected, changed: false, exitCode: null, outputs: {} },
      });
    }
  });

  it('report a change on a host if any part changed it', () => {
    const changed = (...parts: boolean[]) => {
      const all = Object.fromEntries(
        parts.map((each, index) => [`l[${index}]`, facts('SUCCEEDED', { changed: each })]),
      );
      return selectScopeFacts({ steps: steps(...Object.keys(all)), callOutputs: {} }, '', all).l?.changed;
    };
    expect([changed(false, true), changed(false, false), changed(true, true)]).toEqual([true, false, true]);
  });

  it('contain the existing outputs of a call under its own names', () => {
    const all = { 'c/a': facts('SUCCEEDED', { outputs: { address: 'x', other: 'y' } }) };
    const callOutputs = {
      c: {
        mine: { step: 'c/a', output: 'address' },
        none: { step: 'c/a', output: 'gone' },
        never: { step: 'c/b', output: 'address' },
      },
    };
    expect(selectScopeFacts({ steps: steps('c/a', 'c/b'), callOutputs }, '', all).c?.outputs).toEqual({ mine: 'x' });
  });

  it('contain the outputs of a list line by line, also for a list of calls', () => {
    const all = {
      'l[0]': facts('SUCCEEDED', { outputs: { a: '1' } }),
      'l[1]': facts('SUCCEEDED', { outputs: { a: '2', b: 'x' } }),
      'c[0]/s': facts('SUCCEEDED', { outputs: { o: '3' } }),
      'c[1]/s': facts('SUCCEEDED', { outputs: { o: '4' } }),
    };
    const output = (index: number) => ({ mine: { step: `c[${index}]/s`, output: 'o' } });
    const found = selectScopeFacts(
      { steps: steps(...Object.keys(all), 'cc[0]'), callOutputs: { 'c[0]': output(0), 'c[1]': output(1) } },
      '',
      all,
    );
    expect(found.l?.outputs).toEqual({ a: '1\n2', b: 'x' });
    expect(found.c?.outputs).toEqual({ mine: '3\n4' });
    expect(found).not.toHaveProperty('cc');
  });

  it('omit a list whose items have no result', () => {
    expect(selectScopeFacts({ steps: steps('l[0]', 'l[1]'), callOutputs: undefined }, '', {})).toEqual({});
  });
});

describe('the name of an earlier step', () => {
  it('is its full key in its plan, up to a call or an item', () => {
    const all = { 'c/long-name': facts('SUCCEEDED'), 'c/list[0]': facts('FAILED'), 'other/x': facts('TIMED_OUT') };
    const of = { steps: steps(...Object.keys(all)), callOutputs: { c: {}, other: {} } };
    expect(Object.keys(selectScopeFacts(of, 'c/', all))).toEqual(['long-name', 'list']);
    expect(Object.keys(selectScopeFacts(of, '', all))).toEqual(['c', 'other']);
  });

  it('covers only the parts of its own call, and omits those without a result', () => {
    const all = { 'c/a': facts('SUCCEEDED'), 'd/a': facts('FAILED', { changed: true }) };
    const of = { steps: steps('c/a', 'c/b', 'd/a'), callOutputs: { c: { none: { step: 'c/b', output: 'x' } }, d: {} } };
    expect(selectScopeFacts(of, '', all).c).toEqual({
      status: 'SUCCEEDED',
      changed: false,
      exitCode: null,
      outputs: {},
    });
    expect(selectScopeFacts(of, '', all).c?.outputs).not.toHaveProperty('none');
  });

  it('is resolved within a prefix also without calls', () => {
    expect(
      Object.keys(selectScopeFacts({ steps: [{ key: 'c/a' }], callOutputs: {} }, 'c/', { 'c/a': facts('SUCCEEDED') })),
    ).toEqual(['a']);
  });
});
