import { describe, expect, it } from '@jest/globals';
import { createMatchBudget } from '../../common/text/linear-pattern.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { EMPTY_PLAN, type PlanContent } from '../../plans/steps/plan-content.js';
import { STEP_DEFAULTS, type WrittenStep } from '../../plans/steps/types/step-types.js';
import type { VariableDefinition } from '../../plans/variables/variable-definition.js';
import { expandPlan } from './expand-plan.js';
import type { FrozenScope } from '../record/run-content.js';
import { type CallSources, findOwnVariableName } from './freeze-call.js';

const command = (key: string, more: object = {}): WrittenStep => ({
  ...{ ...STEP_DEFAULTS.command, key, name: key, command: 'true' },
  ...more,
});
const call = (key: string, planId: string, more: object = {}): WrittenStep => ({
  ...{ ...STEP_DEFAULTS.plan, key, name: key, planId },
  ...more,
});
const plan = (steps: WrittenStep[], more: Partial<PlanContent> = {}): PlanContent => ({
  ...EMPTY_PLAN,
  steps,
  ...more,
});
const text = (name: string, more: Partial<VariableDefinition> = {}): VariableDefinition => ({
  ...{ name, type: 'string', required: false },
  ...more,
});

interface ExpandInputs {
  called?: Record<string, PlanContent>;
  variables?: Record<string, VariableValue>;
  secrets?: Record<string, VariableValue>;
  own?: CallSources['own'];
  environment?: Record<string, VariableValue>;
  start?: CallSources['start'];
}

function expand(
  content: PlanContent,
  { called = {}, variables = {}, secrets = {}, own, environment, start }: ExpandInputs = {},
) {
  const plans = Object.entries(called).map(
    ([id, each], index) => [id, { id, name: `plan ${id}`, revision: index + 1, content: each }] as const,
  );
  return expandPlan({
    content,
    called: new Map(plans),
    variables,
    sources: {
      environment: { values: environment ?? {}, secretNames: [], versions: {} },
      start: start ?? { values: {} },
      secrets,
      own: own ?? new Map(),
      hosts: 2,
      budget: createMatchBudget(),
    },
  });
}
const failure = (work: () => unknown): { code?: string; message: string; errors: string } => {
  try {
    work();
  } catch (error) {
    const { code, message, extras } = error as { code?: string; message: string; extras?: { errors?: object[] } };
    return { ...(code === undefined ? {} : { code }), message, errors: JSON.stringify(extras?.errors ?? []) };
  }
  throw new Error('nothing was refused');
};

describe('a plan without calls and lists', () => {
  it('is unchanged and has no scopes', () => {
    const { steps, scopes, callOutputs, secrets } = expand(
      plan([command('one', { targets: 'role=web', confirm: true }), command('two', { always: true })]),
    );
    expect(steps).toEqual([
      expect.objectContaining({ key: 'one', targets: 'role=web', confirm: true, always: false }),
      expect.objectContaining({ key: 'two', targets: '', confirm: false, always: true }),
    ]);
    expect(steps.some((step) => 'scope' in step || 'forEach' in step)).toBe(false);
    expect({ scopes, callOutputs, secrets }).toEqual({ scopes: [], callOutputs: {}, secrets: {} });
  });
});

describe('a call', () => {
  const inner = plan([command('a'), command('b', { targets: 'zone=eu', always: true, confirm: true })]);

  it.each([
    ['', '', '', '', ''],
    ['outer', 'called', '', 'outer,called', 'outer,called,zone=eu'],
    ['', 'called', '', 'called', 'called,zone=eu'],
    ['outer', '', '', 'outer', 'outer,zone=eu'],
    [' ', ' called ', '', ' called ', ' called ,zone=eu'],
  ])('runs its steps on hosts selected by the call (%j), the called plan (%j) and the step', (of, targets, _, a, b) => {
    const called = { p: { ...inner, targets } };
    const { steps } = expand(plan([call('deploy', 'p', { targets: of })]), { called });
    const expected = a === '' ? ['', 'zone=eu'] : [a, b];
    expect(steps.map((step) => step.targets)).toEqual(expected);
  });

  it('combines the selectors of nested calls', () => {
    const called = {
      p: plan([call('in', 'q', { targets: 'two' })], { targets: 'one' }),
      q: { ...inner, targets: 'three' },
    };
    const { steps } = expand(plan([call('out', 'p', { targets: 'zero' })]), { called });
    expect(steps.map(({ key, targets }) => [key, targets])).toEqual([
      ['out/in/a', 'zero,one,two,three'],
      ['out/in/b', 'zero,one,two,three,zone=eu'],
    ]);
  });

  it('with `always` sets it for each of its steps, also in nested calls', () => {
    const called = { p: plan([command('x'), call('in', 'q')]), q: inner };
    const always = (more: object, at: 'out' | 'in' = 'out') => {
      const outer = plan([call('out', 'p', at === 'out' ? more : {}), command('after')]);
      const p = plan([command('x'), call('in', 'q', at === 'in' ? more : {})]);
      return expand(outer, { called: { ...called, p } }).steps.map((step) => step.always);
    };
    expect(always({})).toEqual([false, false, true, false]);
    expect(always({ always: true })).toEqual([true, true, true, false]);
    expect(always({ always: true }, 'in')).toEqual([false, true, true, false]);
  });

  it('with `confirm` asks only before its first step', () => {
    const confirms = (more: object) =>
      expand(plan([command('before'), call('deploy', 'p', more)]), {
        called: { p: plan([command('a'), command('c')]) },
      }).steps.map((step) => step.confirm);
    expect(confirms({})).toEqual([false, false, false]);
    expect(confirms({ confirm: true })).toEqual([false, true, false]);
    expect(expand(plan([call('deploy', 'p', { confirm: true })]), { called: { p: plan([]) } }).steps).toEqual([]);
  });

  it('gives each step its path, conditions and scope', () => {
    const called = { p: plan([command('x'), call('in', 'q', { when: 'b' })]), q: inner };
    const { steps, scopes } = expand(plan([call('out', 'p', { when: 'a' }), command('last')]), { called });
    const outer = [{ when: 'a', values: null, prefix: '' }];
    const out = { key: 'out', plan: { id: 'p', name: 'plan p', revision: 1 }, item: null };
    expect(steps.map(({ key, scope }) => [key, scope])).toEqual([
      ['out/x', { values: 0, prefix: 'out/', path: [out], outer }],
      ...['a', 'b'].map((key) => [
        `out/in/${key}`,
        {
          values: 1,
          prefix: 'out/in/',
          path: [out, { key: 'in', plan: { id: 'q', name: 'plan q', revision: 2 }, item: null }],
          outer: [...outer, { when: 'b', values: 0, prefix: 'out/' }],
        },
      ]),
      ['last', undefined],
    ]);
    expect(scopes.map(({ around }) => around)).toEqual([null, 0]);
    const [plain] = expand(plan([call('out', 'q')]), { called }).steps;
    expect(plain?.scope?.outer).toEqual([]);
  });

  it('links handlers to steps of their own plan, to a call or to a whole list', () => {
    const called = { p: plan([command('a'), command('ab'), command('h', { onlyIfChanged: ['a'] })]) };
    const content = plan([
      command('a'),
      call('c', 'p'),
      command('l', { forEach: ['x', 'y'] }),
      command('h', { onlyIfChanged: ['c', 'l'] }),
    ]);
    const links = expand(content, { called }).steps.map(({ key, onlyIfChanged }) => [key, onlyIfChanged]);
    expect(Object.fromEntries(links)).toMatchObject({
      'c/h': ['c/a'],
      h: ['c/a', 'c/ab', 'c/h', 'l[0]', 'l[1]'],
      a: [],
    });
  });

  it('returns outputs under its own name, and rejects outputs that the called plan no longer has', () => {
    const callerPlan = plan([command('a', { outputs: ['address'] }), command('b')]);
    const outputs = (from: string) =>
      expand(plan([call('c', 'p', { outputsFrom: { mine: from } })]), { called: { p: callerPlan } }).callOutputs;
    expect(outputs('a.address')).toEqual({ c: { mine: { step: 'c/a', output: 'address' } } });
    for (const from of ['a.other', 'b.address', 'gone.address', 'a'])
      expect(failure(() => outputs(from))).toMatchObject({ code: 'called_plan_changed' });
    expect(failure(() => outputs('a.other')).message).toMatch(/"c".*"other".*"a".*"plan p"/);
  });

  it('of a plan that was not loaded is an internal error', () => {
    expect(() => expand(plan([call('c', 'nobody')]))).toThrow('The plan called by "c" was not read.');
  });
});

describe('values of a called plan', () => {
  const called = { p: plan([command('a')], { variables: [text('word', { default: 'default' })] }) };
  const frozen = (variables: object, given: ExpandInputs = {}, content: Partial<PlanContent> = {}) =>
    expand(plan([call('c', 'p', { variables })], content), { called, ...given });

  it('come from the call, then the start, the environment and the plan', () => {
    const word = (variables: object, given: ExpandInputs = {}) =>
      frozen(variables, given).scopes[0]?.call?.variables.word;
    expect(word({})).toBe('default');
    expect(word({}, { environment: { word: 'environment' } })).toBe('environment');
    expect(word({}, { environment: { word: 'environment' }, start: { values: { word: 'start' } } })).toBe('start');
    expect(word({ word: 'call' }, { start: { values: { word: 'start' } } })).toBe('call');
  });

  it('may be a variable of the caller, which is not copied', () => {
    const content = { variables: [text('mine')] };
    const { scopes } = frozen({ word: '{{ mine }}' }, { variables: { mine: 'value' } }, content);
    expect(scopes[0]?.call).toEqual({
      ...{ definitions: [{ name: 'word', type: 'string' }], variables: {}, secrets: {} },
      ...{ from: { word: 'mine' }, given: [] },
    });
    expect(frozen({ word: 'x' }).scopes[0]?.call).toMatchObject({ given: ['word'], from: {} });
    const none = { p: plan([command('a')], { variables: [text('word')] }) };
    expect(frozen({}, { called: none }).scopes[0]?.call?.variables).toEqual({});
    expect(frozen({ word: '{{ mine }}' }, { called: none }, content).scopes[0]?.call?.variables).toEqual({});
  });

  it('come from the start only if the called plan declares them', () => {
    expect(frozen({}, { start: { values: { other: 1 } } }).scopes[0]?.call?.variables).toEqual({ word: 'default' });
  });

  it("stay unset when the caller's variable is unset, whatever the environment sets", () => {
    const required = { p: plan([command('a')], { variables: [text('word', { required: true })] }) };
    const given = { called: required, environment: { word: 'x' } };
    const refused = failure(() => frozen({ word: '{{ mine }}' }, given, { variables: [text('mine')] }));
    expect([refused.errors, refused.message]).toEqual([
      expect.stringContaining('required'),
      'The run was not started.',
    ]);
  });

  it('are validated even if every server overrides them', () => {
    const narrow = { p: plan([command('a')], { variables: [text('word', { type: 'choice', choices: ['a'] })] }) };
    const own = new Map([['word', { values: [{ name: 'word', value: 'a', secret: false }], hosts: 2 }]]);
    expect(failure(() => frozen({}, { called: narrow, environment: { word: 'b' }, own })).errors).toContain('word');
    const plain = failure(() =>
      frozen({ word: '{{ mine }}' }, { called: narrow, variables: { mine: 'b' } }, { variables: [text('mine')] }),
    );
    expect(plain.errors).not.toContain('secret value');
  });

  it('are stored separately if secret, except secrets that the run already has', () => {
    const secret = { p: plan([command('a')], { variables: [text('word', { type: 'secret' })] }) };
    const own = frozen({ word: 'hunter2' }, { called: secret });
    expect([own.scopes[0]?.call?.secrets, own.secrets]).toEqual([
      { word: 'word/call-0' },
      { 'word/call-0': 'hunter2' },
    ]);
    const given = { called: secret, secrets: { word: 'hunter2' }, start: { values: { word: 'hunter2' } } };
    const shared = frozen({}, given);
    expect([shared.scopes[0]?.call?.secrets, shared.secrets]).toEqual([{ word: 'word' }, {}]);
    const other = frozen({}, { ...given, secrets: { word: 'another' } });
    expect(other.secrets).toEqual({ 'word/call-0': 'hunter2' });
  });

  it.each<[string, Partial<VariableDefinition>]>([
    ['choice', { type: 'choice', choices: ['hunter1', 'b'] }],
    ['integer', { type: 'integer' }],
    ['boolean', { type: 'boolean' }],
    ['list', { type: 'list' }],
    ['string', { pattern: '[a-z]+' }],
    ['secret', { type: 'secret', pattern: '[a-z]+' }],
  ])('are not quoted in errors if they are secrets of the caller: %s', (_, definition) => {
    const narrow = { p: plan([command('a')], { variables: [text('word', definition)] }) };
    const content = { variables: [text('token', { type: 'secret' })] };
    const refused = failure(() =>
      frozen({ word: '{{ token }}' }, { called: narrow, secrets: { token: 'hunter2' } }, content),
    );
    expect(refused.errors).toContain('/variables/word');
    expect(refused.errors).toContain('Step \\"c\\" calls \\"plan p\\"');
    expect(JSON.stringify(refused)).not.toMatch(/hunter/);
  });

  it.each<[string, ExpandInputs]>([
    ['the start', { start: { values: { word: 'hunter2' }, secretNames: ['word'] } }],
    [
      'a server',
      { own: new Map([['word', { values: [{ name: 'word', value: 'hunter2', secret: true }], hosts: 1 }]]) },
    ],
  ])('are not quoted in errors if they are secret at their source: %s', (_, given) => {
    const narrow = { p: plan([command('a')], { variables: [text('word', { type: 'choice', choices: ['hunter1'] })] }) };
    const refused = failure(() => frozen({}, { ...given, called: narrow }));
    expect(refused.errors).toContain('/variables/word');
    expect(JSON.stringify(refused)).not.toMatch(/hunter/);
  });

  it('are rejected with the first 20 faults of server values', () => {
    const narrow = { p: plan([command('a')], { variables: [text('word', { type: 'choice', choices: ['a'] })] }) };
    const values = Array.from({ length: 21 }, (_, at) => ({ name: 'word', value: `no ${at}`, secret: false }));
    const { errors } = failure(() => frozen({}, { called: narrow, own: new Map([['word', { values, hosts: 2 }]]) }));
    expect(JSON.parse(errors)).toHaveLength(20);
  });

  it('are quoted in errors if the call sets them, because those are not secret', () => {
    const narrow = { p: plan([command('a')], { variables: [text('word', { type: 'choice', choices: ['a'] })] }) };
    expect(failure(() => frozen({ word: 'b' }, { called: narrow })).errors).toContain('/variables/word');
  });

  it('may be required and come from the call or the environment', () => {
    const required = { p: plan([command('a')], { variables: [text('word', { required: true })] }) };
    expect(frozen({ word: 'x' }, { called: required }).scopes).toHaveLength(1);
    expect(frozen({}, { called: required, environment: { word: 'x' } }).scopes).toHaveLength(1);
  });

  it('may be required and come from every server, but not from only some servers', () => {
    const required = { p: plan([command('a')], { variables: [text('word', { required: true })] }) };
    const of = (hosts: number): ExpandInputs => ({
      called: required,
      own: new Map([['word', { values: [{ name: 'word', value: 'x', secret: false }], hosts }]]),
    });
    expect(frozen({}, of(2)).scopes).toHaveLength(1);
    expect(failure(() => frozen({}, of(1))).errors).toContain('required');
    expect(failure(() => frozen({ word: '{{ mine }}' }, of(2), { variables: [text('mine')] })).errors).toContain(
      'required',
    );
  });
});

describe('a list', () => {
  it('is expanded to a step per item, with the item as a value', () => {
    const { steps, scopes } = expand(plan([command('site', { forEach: ['a', 'b'] })]));
    expect(steps.map(({ key, scope }) => [key, scope?.values, scope?.path])).toEqual([
      ['site[0]', 0, [{ key: 'site', plan: null, item: { value: 'a', index: 0 } }]],
      ['site[1]', 1, [{ key: 'site', plan: null, item: { value: 'b', index: 1 } }]],
    ]);
    expect(scopes).toEqual([
      { around: null, item: 'a' },
      { around: null, item: 'b' },
    ]);
  });

  it('may call a plan per item, and may be a variable of the caller of a called plan', () => {
    const variables = [text('sites', { type: 'list' })];
    const called = { p: plan([command('x', { forEach: 'sites' })], { variables }) };
    const { steps } = expand(plan([call('c', 'p', { forEach: ['1', '2'], variables: { sites: ['a'] } })]), { called });
    expect(steps.map(({ key, scope }) => [key, scope?.path.map(({ item }) => item?.value)])).toEqual([
      ['c[0]/x[0]', ['1', 'a']],
      ['c[1]/x[0]', ['2', 'a']],
    ]);
  });

  it('is found among other variables, and is rejected in a called plan when it is secret', () => {
    const variables = [text('other'), text('names', { type: 'list' })];
    const { steps } = expand(plan([command('l', { forEach: 'names' })], { variables }), {
      variables: { other: 'x', names: ['a', 'b'] },
    });
    expect(steps).toHaveLength(2);
    const called = { p: plan([command('l', { forEach: 'names' })], { variables }) };
    const start = { values: { names: ['a'] }, secretNames: ['names'] };
    expect(failure(() => expand(plan([call('c', 'p')]), { called, start })).message).toContain('is secret');
  });

  it.each<[string, ExpandInputs, RegExp]>([
    ['has no value', {}, /has no value/],
    ['is empty', { variables: { names: [] } }, /has no items/],
    ['is a text', { variables: { names: 'x' } }, /has no items/],
    ['is secret', { secrets: { names: ['x'] } }, /is secret/],
    [
      'differs from server to server',
      { variables: { names: ['x'] }, own: new Map([['names', { values: [], hosts: 1 }]]) },
      /differs from server to server/,
    ],
  ])('is rejected by name if it %s', (_, given, reason) => {
    const content = plan([command('l', { forEach: 'names' })], { variables: [text('names', { type: 'list' })] });
    expect(failure(() => expand(content, given))).toMatchObject({
      code: 'list_not_usable',
      message: expect.stringMatching(reason) as unknown,
    });
  });

  it('and calls may expand to at most 1,000 steps', () => {
    const of = (count: number) =>
      plan(Array.from({ length: count }, (_, index) => command(`s${index}`, { forEach: ['a', 'b'] })));
    expect(expand(of(500)).steps).toHaveLength(1000);
    expect(failure(() => expand(of(501)))).toMatchObject({
      code: 'too_many_steps',
      message: expect.stringContaining('more than 1000 steps') as unknown,
    });
  });
});

describe("the name of a server's own value", () => {
  const call = { definitions: [], variables: {}, secrets: {} };
  const scopes: FrozenScope[] = [
    { around: null, item: 'a' },
    { around: 0, call: { ...call, from: { theirs: 'mine', each: 'item' }, given: ['fixed'] } },
    { around: 1, call: { ...call, from: { word: 'theirs', set: 'fixed' }, given: [] } },
  ];

  it.each<[number | null, string, string | null]>([
    [null, 'word', 'word'],
    [9, 'word', 'word'],
    [0, 'word', 'word'],
    [0, 'item', null],
    [1, 'word', 'word'],
    [1, 'theirs', 'mine'],
    [1, 'each', null],
    [1, 'fixed', null],
    [2, 'word', 'mine'],
    [2, 'set', null],
    [2, 'toString', 'toString'],
  ])('in scope %s is for "%s": %s', (scope, name, expected) => {
    expect(findOwnVariableName(scopes, scope, name)).toBe(expected);
  });
});
