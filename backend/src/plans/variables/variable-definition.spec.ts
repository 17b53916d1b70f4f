import { describe, expect, it } from '@jest/globals';
import { checkDefinitions, type VariableDefinition } from './variable-definition.js';

const faults = (...definitions: VariableDefinition[]) =>
  checkDefinitions(definitions).map(({ path, code }) => `${path} ${code}`);

describe('declared variables', () => {
  it('accepts a variable of each type', () => {
    expect(
      checkDefinitions([
        { name: 'version', type: 'string', required: true, pattern: 'v\\d+(\\.\\d+)*', description: 'What to install' },
        { name: 'port', type: 'integer', default: 8080 },
        { name: 'ratio', type: 'number', default: 0.5 },
        { name: 'force', type: 'boolean', default: false },
        { name: 'colour', type: 'choice', choices: ['blue', 'green'], default: 'blue' },
        { name: 'packages', type: 'list', default: ['curl', 1, true], pattern: '[a-z0-9]+' },
        { name: 'API_TOKEN', type: 'secret', required: true, choices: [] },
      ]),
    ).toEqual([]);
  });

  it.each([
    '1st',
    'a-b',
    'a b',
    '',
    'é',
    'a$',
    `a${'b'.repeat(64)}`,
    'a\n',
    'PATH',
    'IFS',
    'ENV',
    'BASH_ENV',
    'PS4',
    'PROMPT_COMMAND',
    'LD_PRELOAD',
    'LD_',
    'UID',
    'SHELLOPTS',
    '_',
    'BASH_VERSINFO',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'RUNWARD_OUTPUT',
    'true',
    'nil',
    'and',
    'forloop',
  ])('refuses the name %j', (name) => {
    expect(faults({ name, type: 'string' })).toEqual(['/variables/0/name invalid_name']);
  });

  it.each(['_a', 'A1', 'path', 'LDAP', 'RUNWARD', `a${'b'.repeat(63)}`])('allows the name %j', (name) => {
    expect(faults({ name, type: 'string' })).toEqual([]);
  });

  it('refuses a duplicate name at its second position', () => {
    expect(faults({ name: 'a', type: 'string' }, { name: 'a', type: 'list' }, { name: 'A', type: 'list' })).toEqual([
      '/variables/1/name duplicate_name',
    ]);
  });

  it.each<[string, VariableDefinition]>([
    ['text for an integer', { name: 'a', type: 'integer', default: '5' }],
    ['a fraction for an integer', { name: 'a', type: 'integer', default: 5.5 }],
    ['a number for a boolean', { name: 'a', type: 'boolean', default: 1 }],
    ['a value that is not a choice', { name: 'a', type: 'choice', choices: ['b'], default: 'c' }],
    ['a value that misses the pattern', { name: 'a', type: 'string', pattern: 'v\\d', default: 'v12' }],
    ['any value for a secret', { name: 'a', type: 'secret', default: 'hunter2' }],
  ])('refuses the default %s', (_, definition) => {
    const problems = checkDefinitions([definition]);
    expect(problems.map(({ path, code }) => `${path} ${code}`)).toEqual(['/variables/0/default invalid_default']);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it.each<[VariableDefinition, string]>([
    [{ name: 'a', type: 'choice' }, 'missing_choices'],
    [{ name: 'a', type: 'choice', choices: [] }, 'missing_choices'],
    [{ name: 'a', type: 'choice', choices: ['x', 'x'] }, 'invalid_choices'],
    [{ name: 'a', type: 'choice', choices: [' '] }, 'invalid_choices'],
    [{ name: 'a', type: 'string', choices: ['x'] }, 'invalid_choices'],
  ])('validates the choices of %j', (definition, code) => {
    expect(faults(definition)).toEqual([`/variables/0/choices ${code}`]);
  });

  it.each(['(', '(?=a)', '(a)\\1', 'a'.repeat(201), ''])('refuses the pattern %j', (pattern) => {
    expect(faults({ name: 'a', type: 'string', pattern })).toEqual(['/variables/0/pattern invalid_pattern']);
  });

  it('refuses a pattern on a type that does not support it', () => {
    expect(faults({ name: 'a', type: 'integer', pattern: '\\d+' })).toEqual(['/variables/0/pattern invalid_pattern']);
  });

  it('limits the total cost of all patterns', () => {
    const items = Array.from({ length: 1000 }, () => 'aaaaaaaaaa');
    const heavy = Array.from({ length: 100 }, (_, i): VariableDefinition => {
      return { name: `a${i}`, type: 'list', pattern: '(a?){490}', default: items };
    });
    const found = checkDefinitions(heavy);
    expect(found[0]).toMatchObject({
      path: '/variables/0/default',
      message: expect.stringContaining('Use simpler patterns or shorter values'),
    });
    // The first pattern uses up the budget, so the other 99 are not tried.
    expect(found).toHaveLength(100);
  });

  it('accepts many patterns of ordinary cost', () => {
    const usual = Array.from({ length: 100 }, (_, i): VariableDefinition => {
      return {
        name: `a${i}`,
        type: 'string',
        pattern: 'v\\d+(\\.\\d+){2}(-[a-z0-9]+)*',
        default: 'v12.34.56-rc1-build2',
      };
    });
    expect(faults(...usual)).toEqual([]);
  });

  it('limits the number of patterns', () => {
    const many = Array.from({ length: 101 }, (_, i): VariableDefinition => ({ name: `a${i}`, type: 'string' }));
    expect(faults(...many)).toEqual(['/variables too_many']);
    expect(faults(...many.slice(1))).toEqual([]);
  });

  it('says what to do in every message', () => {
    const problems = checkDefinitions([{ name: 'LD_X', type: 'choice' }], '/content/variables');
    expect(problems).toEqual([
      {
        path: '/content/variables/0/name',
        code: 'invalid_name',
        message: expect.stringContaining('in the command'),
      },
      {
        path: '/content/variables/0/choices',
        code: 'missing_choices',
        message: expect.stringContaining('["blue", "green"]'),
      },
    ]);
  });
});
