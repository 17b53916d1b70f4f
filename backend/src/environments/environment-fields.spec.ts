import { describe, expect, it } from '@jest/globals';
import { operationOf, resolved } from '../../test/support/openapi.js';
import { FIELD_RULES, PERSON_ONLY_FIELDS } from './environment-fields.js';
import { PROTECTION_SETTINGS } from './protection/weakening.js';

describe('the rules for environment fields', () => {
  const fieldsOf = (operationId: string): string[] =>
    Object.keys(resolved(operationOf(operationId).body ?? {}).properties ?? {});

  it('cover every field that a request can send', () => {
    const sent = [...new Set([...fieldsOf('createEnvironment'), ...fieldsOf('updateEnvironment')])];
    expect(sent.sort()).toEqual(Object.keys(FIELD_RULES).sort());
  });

  it('match the settings of a protection change', () => {
    const { settings } = resolved(operationOf('createProtectionChange').body ?? {}).properties ?? {};
    expect(Object.keys(resolved(settings ?? {}).properties ?? {}).sort()).toEqual([...PROTECTION_SETTINGS].sort());
  });

  it('keep settings that can be weakened from machines', () => {
    expect(PROTECTION_SETTINGS.filter((setting) => !PERSON_ONLY_FIELDS.includes(setting))).toEqual([]);
  });
});
