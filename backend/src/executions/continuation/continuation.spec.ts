import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../test/support/seeded-random.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import {
  planContinuation,
  type ContinuedStep,
  type EarlierResult,
  type EarlierResults,
  listPassedOverSteps,
  type StepHostIds,
  listUnfinishedSteps,
} from './continuation.js';

const HOSTS = ['h1', 'h2', 'h3'];
const step = (key: string, more: Partial<ContinuedStep> = {}): ContinuedStep => ({
  key,
  ...{ gate: false, placeholder: false, runOnce: false, always: false, same: true, waived: false },
  ...{ onlyIfChanged: [], references: [], targets: new Set(HOSTS) },
  ...more,
});
const results = (found: Record<string, Record<string, HostStatus | [HostStatus, boolean]>>): EarlierResults =>
  new Map(
    Object.entries(found).map(([key, hosts]) => [
      key,
      new Map(
        Object.entries(hosts).map(([host, is]): [string, EarlierResult] => {
          const [status, changed] = typeof is === 'string' ? [is, false] : is;
          return [host, { status, changed, from: 'run', step: 0 }];
        }),
      ),
    ]),
  );
const byStep = (list: readonly StepHostIds[]) =>
  Object.fromEntries(list.map(({ step: at, hosts }) => [at, hosts.join(' ')]));
const RESUME_OPTIONS = { fromStep: 0, resumes: true };

describe('unfinished steps of a host', () => {
  it.each([
    ['a step that failed there', [step('a')], { a: { h1: 'SUCCEEDED', h2: 'FAILED', h3: 'SUCCEEDED' } }, { h2: [0] }],
    ['a step that never ran', [step('a'), step('b')], { a: { h1: 'SUCCEEDED' } }, { h1: [1], h2: [0, 1], h3: [0, 1] }],
    ['nothing that a condition ruled out', [step('a')], { a: { h1: 'SKIPPED', h2: 'SKIPPED', h3: 'SKIPPED' } }, {}],
    ['nothing that a person skipped', [step('a', { waived: true })], {}, {}],
    ['no gate', [step('a', { gate: true })], {}, {}],
    ['no step that does not target the host', [step('a', { targets: new Set(['h1']) })], {}, { h1: [0] }],
    [
      'no handler without a change, but one with a changed step',
      [step('a'), step('b', { onlyIfChanged: ['a'] })],
      { a: { h1: ['SUCCEEDED', true], h2: 'SUCCEEDED', h3: 'FAILED' } },
      { h1: [1], h3: [0, 1] },
    ],
    ['nothing that another host ran once for all', [step('a', { runOnce: true })], { a: { h2: 'SUCCEEDED' } }, {}],
    [
      'a step that runs once, on the host where it failed',
      [step('a', { runOnce: true })],
      { a: { h2: 'FAILED' } },
      { h2: [0] },
    ],
  ] as [string, ContinuedStep[], Parameters<typeof results>[0], Record<string, number[]>][])(
    'include %s',
    (_, steps, found, unfinishedKeys) => {
      expect(Object.fromEntries(listUnfinishedSteps(steps, results(found), HOSTS))).toEqual(unfinishedKeys);
    },
  );
});

describe('a resumed run', () => {
  it('runs a gate again unless it was passed before the first step that runs now', () => {
    const steps = [step('a'), step('gate', { gate: true }), step('b'), step('later', { gate: true }), step('c')];
    const found = results({ a: { h1: 'SUCCEEDED' }, b: { h1: 'FAILED' } });
    const continuation = planContinuation(steps, found, ['h1'], RESUME_OPTIONS);
    expect(byStep(continuation.runs)).toEqual({ 2: 'h1', 4: 'h1' });
    expect(listPassedOverSteps(steps, found, continuation, true)).toEqual([0, 1]);
    const aborted = results({ a: { h1: 'SUCCEEDED' } });
    expect(listPassedOverSteps(steps, aborted, planContinuation(steps, aborted, ['h1'], RESUME_OPTIONS), true)).toEqual(
      [0],
    );
  });

  it('never passes over a placeholder', () => {
    const steps = [step('gate', { gate: true, placeholder: true }), step('b')];
    const found = results({ b: { h1: 'FAILED' } });
    expect(listPassedOverSteps(steps, found, planContinuation(steps, found, ['h1'], RESUME_OPTIONS), true)).toEqual([]);
  });

  it('runs again what depends on a step that runs: cleanup, handlers, and steps skipped because of its result', () => {
    const steps = [
      step('a'),
      step('b', { always: true }),
      step('c', { onlyIfChanged: ['a'], always: true }),
      step('d', { references: [{ key: 'a', outputs: [] }], always: true }),
      step('e'),
    ];
    const found = results({
      a: { h1: 'FAILED' },
      ...Object.fromEntries(['b', 'c', 'd', 'e'].map((key) => [key, { h1: 'SKIPPED' as const }])),
    });
    const { runs, done } = planContinuation(steps, found, ['h1'], RESUME_OPTIONS);
    expect([byStep(runs), byStep(done)]).toEqual([{ 0: 'h1', 1: 'h1', 2: 'h1', 3: 'h1' }, { 4: 'h1' }]);
  });

  it('runs a step again if it has changed', () => {
    const found = results({ a: { h1: 'SUCCEEDED' }, b: { h1: 'FAILED' } });
    const { runs, repeats } = planContinuation([step('a', { same: false }), step('b')], found, ['h1'], RESUME_OPTIONS);
    expect([byStep(runs), byStep(repeats)]).toEqual([{ 0: 'h1', 1: 'h1' }, { 0: 'h1' }]);
  });
});

describe('with random plans and results', () => {
  const STATUSES: (HostStatus | null)[] = [
    'SUCCEEDED',
    'SKIPPED',
    'FAILED',
    'UNREACHABLE',
    'UNKNOWN',
    'CANCELLED',
    null,
  ];

  function scene(seed: number) {
    const random = seededRandom(seed);
    const chance = (p: number) => random.int(1000) < p * 1000;
    const steps = Array.from({ length: 1 + random.int(6) }, (_, index) => {
      const earlier = Array.from({ length: index }, (__, at) => `s${at}`).filter(() => chance(0.3));
      return step(`s${index}`, {
        gate: chance(0.1),
        placeholder: false,
        runOnce: chance(0.15),
        always: chance(0.15),
        waived: chance(0.05),
        onlyIfChanged: chance(0.3) ? earlier : [],
        references: chance(0.4) ? earlier.map((key) => ({ key, outputs: chance(0.5) ? ['x'] : [] })) : [],
        targets: new Set(HOSTS.filter(() => chance(0.8))),
      });
    });
    const found: Parameters<typeof results>[0] = {};
    for (const { key, gate, runOnce, targets } of steps) {
      if (gate) continue;
      for (const host of runOnce ? [...targets].slice(0, 1) : targets) {
        const status = random.pick(STATUSES);
        if (status) found[key] = { ...found[key], [host]: [status, chance(0.5)] };
      }
    }
    return { steps, found: results(found) };
  }

  it('a resumed run runs every unfinished step and repeats a finished one only for a reason', () => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const { steps, found } = scene(seed);
      const unfinishedKeys = listUnfinishedSteps(steps, found, HOSTS);
      const { runs, repeats, done } = planContinuation(steps, found, [...unfinishedKeys.keys()], RESUME_OPTIONS);
      const has = (list: readonly StepHostIds[], index: number, host: string) =>
        list.some((each) => each.step === index && each.hosts.includes(host));
      for (const [host, indexes] of unfinishedKeys) {
        for (const index of indexes)
          expect({ seed, host, index, runs: has(runs, index, host) }).toMatchObject({ runs: true });
        for (const [index, each] of steps.entries()) {
          expect(has(runs, index, host) && has(done, index, host)).toBe(false);
          const mustRunAgain = each.always || each.onlyIfChanged.length > 0 || each.references.length > 0;
          if (has(repeats, index, host))
            expect({ seed, host, index, renewed: mustRunAgain }).toMatchObject({ renewed: true });
        }
      }
    }
  });

  it('a result that a step reads is produced, inherited or reported as missing', () => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const { steps, found } = scene(seed);
      const fromStep = seed % steps.length;
      const { runs, needed, missing } = planContinuation(steps, found, HOSTS, { fromStep, resumes: seed % 2 === 0 });
      const has = (list: readonly StepHostIds[], index: number, host: string) =>
        list.some((each) => each.step === index && each.hosts.includes(host));
      for (const { step: index, hosts } of runs) {
        for (const host of hosts) {
          for (const { key } of steps[index]?.references ?? []) {
            const at = steps.findIndex((each) => each.key === key);
            const earlier = steps[at];
            const isConditional = (earlier?.onlyIfChanged.length ?? 0) > 0;
            const isNotReusable =
              !earlier || earlier.gate || earlier.waived || isConditional || !earlier.targets.has(host);
            const named = missing.some(
              (each) => each.step === index && each.needs === key && each.hosts.includes(host),
            );
            const settled = isNotReusable || named || has(runs, at, host) || has(needed, at, host);
            expect({ seed, index, host, key, settled }).toMatchObject({ settled: true });
          }
        }
      }
    }
  });
});
