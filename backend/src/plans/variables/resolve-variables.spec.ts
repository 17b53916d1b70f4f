import { describe, expect, it } from '@jest/globals';
import { resolveVariables, type VariableLayer } from './resolve-variables.js';
import type { VariableDefinition } from './variable-definition.js';

const start = (values: Record<string, unknown>): VariableLayer => ({ source: 'start', values });
const resolve = (definitions: VariableDefinition[], ...layers: VariableLayer[]) =>
  resolveVariables({ definitions, layers });
const problems = (definitions: VariableDefinition[], ...layers: VariableLayer[]) =>
  resolve(definitions, ...layers).problems.map(({ path, code }) => `${path} ${code}`);

describe('resolving variables', () => {
  const version: VariableDefinition = { name: 'version', type: 'string', default: 'plan' };
  const strongestFirst: VariableLayer[] = [
    start({ version: 'start' }),
    { source: 'server', values: { version: 'server' } },
    { source: 'environment', values: { version: 'environment' } },
  ];

  it.each([
    [0, 'start'],
    [1, 'server'],
    [2, 'environment'],
    [3, 'plan'],
  ])('takes the strongest source, whatever the order of the layers (%i left out)', (left, source) => {
    for (const layers of [strongestFirst.slice(left), strongestFirst.slice(left).reverse()]) {
      expect(resolve([version], ...layers)).toEqual({
        values: [{ name: 'version', type: 'string', value: source, source, secret: false }],
        problems: [],
      });
    }
  });

  it('lists a variable without any value', () => {
    expect(resolve([{ name: 'note', type: 'string' }])).toEqual({
      values: [{ name: 'note', type: 'string', value: null, source: null, secret: false }],
      problems: [],
    });
  });

  it('accepts a default for a required variable, and requires a value without one', () => {
    expect(problems([{ name: 'a', type: 'string', required: true, default: 'x' }])).toEqual([]);
    expect(problems([{ name: 'a', type: 'string', required: true }])).toEqual(['/variables/a required']);
    expect(problems([{ name: 'a', type: 'string', required: true }], start({ a: '' }))).toEqual([]);
  });

  it('suggests the nearest known variable for an unknown one', () => {
    const definitions: VariableDefinition[] = [
      { name: 'db_host', type: 'string' },
      { name: 'port', type: 'integer' },
    ];
    const message = (name: string) => resolve(definitions, start({ [name]: 'x' })).problems[0]?.message;
    expect(message('db_hots')).toContain('Did you mean "db_host"?');
    expect(message('DB_HOST')).toContain('Did you mean "db_host"?');
    expect(message('zzzzzz')).toContain('The variables are db_host, port.');
    expect(resolve([], start({ a: 1 })).problems[0]?.message).toContain('There are no variables here.');
  });

  it('treats inherited names as unknown and escapes them in the pointer', () => {
    const values = JSON.parse('{"__proto__": "x", "constructor": "x", "a/b~c": 1}') as Record<string, unknown>;
    expect(problems([version], start(values))).toEqual([
      '/variables/__proto__ unknown_variable',
      '/variables/constructor unknown_variable',
      '/variables/a~1b~0c unknown_variable',
    ]);
    expect(resolve([{ name: 'valueOf', type: 'string' }], start({})).values[0]?.value).toBeNull();
  });

  it('ignores values of an environment and a server for other plans', () => {
    const { values, problems: found } = resolve(
      [version],
      { source: 'environment', values: { other: 1 } },
      { source: 'server', values: { more: {} } },
    );
    expect(found).toEqual([]);
    expect(values.map(({ name }) => name)).toEqual(['version']);
  });

  it.each<[VariableDefinition['type'], unknown]>([
    ['string', 5],
    ['string', null],
    ['string', {}],
    ['string', ['a']],
    ['string', 'a\0b'],
    ['string', '\ud800'],
    ['integer', '5'],
    ['integer', 5.5],
    ['integer', 2 ** 53],
    ['integer', true],
    ['number', '0.5'],
    ['number', Infinity],
    ['number', NaN],
    ['boolean', 'true'],
    ['boolean', 1],
    ['boolean', null],
    ['secret', 5],
    ['choice', 5],
    ['list', 'a'],
    ['list', { 0: 'a' }],
  ])('does not convert for the type %s the value %j', (type, value) => {
    expect(problems([{ name: 'a', type, choices: ['5'] }], start({ a: value }))).toEqual(['/variables/a wrong_type']);
  });

  it('points to the invalid item of a list', () => {
    const list: VariableDefinition = { name: 'a', type: 'list', pattern: '[a-z0-9]+' };
    expect(problems([list], start({ a: ['x', 1, ['y']] }))).toEqual(['/variables/a/2 wrong_type']);
    expect(problems([list], start({ a: ['x', 1, 'Y'] }))).toEqual(['/variables/a/2 pattern_mismatch']);
    expect(problems([list], start({ a: ['x', 1] }))).toEqual([]);
  });

  it('limits lists and long values', () => {
    expect(problems([{ name: 'a', type: 'list' }], start({ a: Array<number>(1000).fill(1) }))).toEqual([]);
    expect(problems([{ name: 'a', type: 'list' }], start({ a: Array<number>(1001).fill(1) }))).toEqual([
      '/variables/a too_long',
    ]);
    expect(problems([{ name: 'a', type: 'string' }], start({ a: 'x'.repeat(32_769) }))).toEqual([
      '/variables/a too_long',
    ]);
    expect(problems([{ name: 'a', type: 'string', pattern: 'x*' }], start({ a: 'x'.repeat(10_001) }))).toEqual([
      '/variables/a pattern_mismatch',
    ]);
  });

  it('matches a pattern against the whole value', () => {
    const tag: VariableDefinition = { name: 'tag', type: 'string', pattern: 'v\\d+' };
    expect(problems([tag], start({ tag: 'v1' }))).toEqual([]);
    expect(problems([tag], start({ tag: 'v1; rm -rf /' }))).toEqual(['/variables/tag pattern_mismatch']);
    expect(problems([tag], start({ tag: 'v1\n' }))).toEqual(['/variables/tag pattern_mismatch']);
  });

  it('suggests the nearest choice', () => {
    const colour: VariableDefinition = { name: 'colour', type: 'choice', choices: ['blue', 'green'] };
    expect(resolve([colour], start({ colour: 'gren' })).problems).toEqual([
      {
        path: '/variables/colour',
        code: 'not_a_choice',
        message: '"colour" must be one of blue, green. Did you mean "green"?',
      },
    ]);
  });

  it('names the source of an invalid value, and ignores an overridden one', () => {
    const port: VariableDefinition = { name: 'port', type: 'integer' };
    const environment: VariableLayer = { source: 'environment', values: { port: '80' } };
    expect(resolve([port], environment).problems[0]?.message).toBe(
      '"port" must be a whole number such as 8080, without quotes, not the text "80". This value comes from the environment.',
    );
    expect(problems([port], environment, start({ port: 80 }))).toEqual([]);
  });

  it('treats a name as secret if any layer does, and never repeats a secret value', () => {
    const { values } = resolve(
      [
        { name: 'a', type: 'string' },
        { name: 'b', type: 'secret' },
      ],
      { source: 'environment', values: { a: 'x' }, secretNames: ['a'] },
      start({ a: 'y', b: 'z' }),
    );
    expect(values.map(({ secret }) => secret)).toEqual([true, true]);
    const refused = resolve([{ name: 'b', type: 'secret', pattern: '[a-z]+' }], start({ b: '123456' }));
    expect(refused.problems).toHaveLength(1);
    expect(JSON.stringify(refused)).not.toContain('123456');
  });

  it('reveals nothing of an invalid secret, not even the nearest choice', () => {
    const definitions: VariableDefinition[] = [
      { name: 'pin', type: 'integer' },
      { name: 'colour', type: 'choice', choices: ['blue', 'green'] },
    ];
    const values = { pin: '483920', colour: 'gren' };
    const { problems: faults } = resolve(definitions, {
      source: 'environment',
      values,
      secretNames: ['pin', 'colour'],
    });
    expect(faults.map(({ message }) => message)).toEqual([
      'The secret value of "pin" does not fit what the plan declares (integer). This value comes from the environment.',
      'The secret value of "colour" does not fit what the plan declares (choice). This value comes from the environment.',
    ]);
  });

  it('limits the total cost of the patterns of all values', () => {
    const heavy = Array.from({ length: 100 }, (_, i): VariableDefinition => {
      return { name: `a${i}`, type: 'list', pattern: '(a?){490}' };
    });
    const items = Array.from({ length: 1000 }, () => 'aaaaaaaaaa');
    const values = Object.fromEntries(heavy.map(({ name }) => [name, items]));
    expect(resolve(heavy, start(values)).problems[0]).toMatchObject({
      path: '/variables/a0',
      code: 'pattern_mismatch',
      message: expect.stringContaining('takes too long'),
    });
  });

  it('reports only the first hundred of very many unknown names', () => {
    const values = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown_${i}`, 1]));
    expect(resolve([version], start(values)).problems).toHaveLength(100);
  });
});
