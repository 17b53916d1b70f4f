import { describe, expect, it } from 'vitest';
import { ApiProblem } from '../../../api/errors';
import { faultsOf, guessFormat } from './import-text';

describe('the format of a text', () => {
  it('is guessed from the fields that only one of them has', () => {
    expect(guessFormat('- name: a\n  loglevel: INFO\n  sequence:\n    commands: []\n')).toBe('rundeck');
    expect(guessFormat('<?xml version="1.0"?>\n<joblist>\n</joblist>')).toBe('rundeck');
    expect(guessFormat('[{"name": "a", "sequence": {"commands": []}}]')).toBe('rundeck');
    expect(guessFormat('name: a\nsteps:\n  - key: a\n')).toBe('plan');
    expect(guessFormat('{"name": "a", "steps": []}')).toBe('plan');
    expect(guessFormat('hello')).toBeNull();
  });
});

describe('faults of a refused text', () => {
  it('are those with a line, which precedes the message once', () => {
    const base = { path: '/content', code: 'x' };
    const errors = [
      { ...base, line: 3, column: 5, message: 'Line 3, column 5: no' },
      { ...base, message: 'other' },
    ];
    const problem = new ApiProblem({ status: 400, code: 'invalid_request', detail: 'no', errors });
    expect(faultsOf(problem)).toEqual([{ line: 3, column: 5, reason: { code: 'x', text: 'no' } }]);
  });
});
