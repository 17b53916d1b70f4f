import { describe, expect, it } from '@jest/globals';
import { type RequestedVariable, toTypeAndSecrecy, findVariableFaults } from './variable-rules.js';

const codes = (key: string, given: RequestedVariable) =>
  findVariableFaults(key, given).map(({ path, code }) => `${path} ${code}`);

describe('an environment variable', () => {
  it.each([
    [{ value: 'eu' }, { type: 'string', secret: false }],
    [{ value: 8080 }, { type: 'integer', secret: false }],
    [{ value: 0.5 }, { type: 'number', secret: false }],
    [{ value: true }, { type: 'boolean', secret: false }],
    [{ value: ['a', 1] }, { type: 'list', secret: false }],
    [
      { value: 'x', secret: true },
      { type: 'secret', secret: true },
    ],
    [
      { value: 'x', type: 'secret' as const },
      { type: 'secret', secret: true },
    ],
    [
      { value: 8080, secret: true },
      { type: 'integer', secret: true },
    ],
    [
      { value: 2, type: 'number' as const },
      { type: 'number', secret: false },
    ],
  ])('takes the type from the value %j', (given, kind) => {
    expect(toTypeAndSecrecy(given)).toEqual(kind);
  });

  it('is rejected when the value does not fit the type', () => {
    expect(codes('PORT', { value: '8080', type: 'integer' })).toEqual(['/value wrong_type']);
    expect(codes('LIST', { value: ['a', 'b\0'], type: 'list' })).toEqual(['/value/1 wrong_type']);
  });

  it('is rejected when type and secret contradict each other', () => {
    expect(codes('A', { value: 'x', type: 'secret', secret: false })).toEqual(['/secret not_allowed_value']);
  });

  it.each([
    'PATH',
    'LD_PRELOAD',
    'BASH_ENV',
    'IFS',
    'ENV',
    'PS4',
    'PROMPT_COMMAND',
    '1A',
    'a-b',
    '',
    '__proto__',
    'a\0b',
    'x'.repeat(65),
  ])('is rejected with the name %j', (key) => {
    expect(codes(key, { value: 'x' })).toEqual([' invalid_name']);
  });

  it('never repeats a secret value in an error', () => {
    const faults = findVariableFaults('PIN', { value: '483920', type: 'integer', secret: true });
    expect(faults).toHaveLength(1);
    expect(JSON.stringify(faults)).not.toContain('483920');
    expect(JSON.stringify(findVariableFaults('PIN', { value: '483920', type: 'integer' }))).toContain('483920');
  });
});
