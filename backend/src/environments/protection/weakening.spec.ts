import { describe, expect, it } from '@jest/globals';
import { findWeakening, describeWeakening } from './weakening.js';

const strictPolicy = {
  ...{ protected: true, requiredApprovals: 2, allowSelfApproval: false },
  ...{ unknownAuthors: 'refuse' as const, protectionDelaySeconds: 86_400 },
};

describe('a change of a protected environment', () => {
  it.each([
    [{ protected: false }, 'protected: true to false'],
    [{ requiredApprovals: 1 }, 'requiredApprovals: 2 to 1'],
    [{ allowSelfApproval: true }, 'allowSelfApproval: false to true'],
    [{ unknownAuthors: 'show' as const }, 'unknownAuthors: refuse to show'],
    [{ protectionDelaySeconds: 3600 }, 'protectionDelaySeconds: 86400 to 3600'],
    [{ requiredApprovals: 3, allowSelfApproval: true }, 'allowSelfApproval: false to true'],
  ])('%j weakens its protection', (request, text) => {
    expect(describeWeakening(findWeakening(strictPolicy, request))).toBe(text);
  });

  it.each([{}, strictPolicy, { requiredApprovals: 3, protectionDelaySeconds: 90_000 }])('%j does not', (request) => {
    expect(findWeakening(strictPolicy, request)).toEqual({});
  });

  it('weakens nothing in an unprotected environment', () => {
    expect(
      findWeakening({ ...strictPolicy, protected: false }, { allowSelfApproval: true, requiredApprovals: 1 }),
    ).toEqual({});
  });
});
