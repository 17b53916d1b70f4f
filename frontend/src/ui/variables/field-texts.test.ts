import { describe, expect, it } from 'vitest';
import type { PlanVariable, ResolvedVariable } from '../../api/types';
import { fieldTexts } from './field-texts';
import { numberOf } from './typed-value';

const variable = (more: Partial<PlanVariable> = {}): PlanVariable => ({
  name: 'TAG',
  type: 'string',
  required: true,
  ...more,
});
const resolved = (more: Partial<ResolvedVariable> = {}) =>
  ({
    name: 'TAG',
    value: null,
    source: null,
    reason: null,
    required: true,
    serverCount: 0,
    servers: [],
    ...more,
  }) as ResolvedVariable;
const badServer = {
  serverName: 'db-1',
  value: 'x',
  secret: false,
  reason: { code: 'pattern_mismatch', text: 'Must match v.*' },
};

describe('the texts of a variable at a start', () => {
  it('are only those of the plan while the values are loading', () => {
    expect(fieldTexts(variable({ description: 'Release' }), '', undefined)).toEqual({
      label: 'TAG',
      description: 'Release',
      isRequired: true,
    });
    expect(fieldTexts(variable({ default: 'v1' }), '', undefined).isRequired).toBe(false);
  });

  it('explain the pattern of a variable without a description', () => {
    expect(fieldTexts(variable({ pattern: 'v.*' }), '', undefined).description).toBe('Must match v.*');
    const described = variable({ pattern: 'v.*', description: 'Release' });
    expect(fieldTexts(described, '', resolved({ source: 'plan', value: 'v1' })).description).toBe(
      'Release · From the plan’s default unless set here',
    );
  });

  it('ask for a value only if the start has none', () => {
    expect(
      fieldTexts(variable(), '', resolved({ reason: { code: 'required', text: 'Value is missing.' } })).isRequired,
    ).toBe(true);
    expect(fieldTexts(variable(), '', resolved({ source: 'environment', value: 'v1' })).isRequired).toBe(false);
  });

  it('report no missing value, but an invalid inherited one', () => {
    expect(
      fieldTexts(variable(), '', resolved({ reason: { code: 'required', text: 'Value is missing.' } })).problem,
    ).toBeUndefined();
    const inherited = resolved({
      source: 'environment',
      value: '1',
      reason: { code: 'pattern_mismatch', text: 'Must match v.*' },
    });
    expect(fieldTexts(variable(), '', inherited).problem).toBe('Must match v.*');
    expect(fieldTexts(variable(), 'v2', inherited).problem).toBeUndefined();
  });

  it('report the invalid value of a server', () => {
    const withServer = resolved({ serverCount: 1, servers: [badServer] as ResolvedVariable['servers'] });
    expect(fieldTexts(variable(), '', withServer).problem).toBe('db-1: Must match v.*');
  });
});

describe('a number while it is typed', () => {
  it('means the digits so far', () => {
    expect(['', '-', '-1', '1.', '1.50', 2].map(numberOf)).toEqual(['', '', -1, 1, 1.5, 2]);
  });

  it('stays a text if JavaScript would round it', () => {
    expect(numberOf('9007199254740993')).toBe('9007199254740993');
  });
});
