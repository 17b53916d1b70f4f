import { describe, expect, it } from '@jest/globals';
import { operationOf, resolved } from '../../../test/support/openapi.js';
import { FIELD_RULES, PEOPLE_FIELDS, PROTECTION_SETTINGS, weakeningOf, weakeningText } from './weakening.js';

const strict = {
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
    expect(weakeningText(weakeningOf(strict, request))).toBe(text);
  });

  it.each([{}, strict, { requiredApprovals: 3, protectionDelaySeconds: 90_000 }])('%j does not', (request) => {
    expect(weakeningOf(strict, request)).toEqual({});
  });

  it('weakens nothing where it was not protected', () => {
    expect(weakeningOf({ ...strict, protected: false }, { allowSelfApproval: true, requiredApprovals: 1 })).toEqual({});
  });
});

describe('the rules for fields of an environment', () => {
  const fieldsOf = (operationId: string): string[] =>
    Object.keys(resolved(operationOf(operationId).body ?? {}).properties ?? {});

  it('decide about every field that a request can send', () => {
    const sent = [...new Set([...fieldsOf('createEnvironment'), ...fieldsOf('updateEnvironment')])];
    expect(sent.sort()).toEqual(Object.keys(FIELD_RULES).sort());
  });

  it('are requested by the settings that they call weaker, and by no other', () => {
    const { settings } = resolved(operationOf('createProtectionChange').body ?? {}).properties ?? {};
    expect(Object.keys(resolved(settings ?? {}).properties ?? {}).sort()).toEqual([...PROTECTION_SETTINGS].sort());
  });

  it('keep settings that can be weakened from machines', () => {
    expect(PROTECTION_SETTINGS.filter((setting) => !PEOPLE_FIELDS.includes(setting))).toEqual([]);
  });
});
