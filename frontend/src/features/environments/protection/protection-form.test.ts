import { describe, expect, it } from 'vitest';
import type { Environment } from '../../../api/types';
import { fieldOf, formOf, isSameForm, protectionChange } from './protection-form';

const environment = {
  ...{ protected: true, requiredApprovals: 2, allowSelfApproval: false, approvalTtlSeconds: 7200 },
  ...{ unknownAuthors: 'refuse', protectionDelaySeconds: 86_400, allowedModes: ['auto', 'dry_run'] },
  ...{ hostJournal: true, checkIntervalSeconds: null },
} as Environment;
const form = formOf(environment);

describe('the protection form', () => {
  it('uses minutes and hours', () => {
    expect(form).toMatchObject({ approvalTtlMinutes: 120, delayHours: 24, checkMinutes: '' });
    const { body } = protectionChange(environment, {
      ...form,
      delayHours: 48,
      approvalTtlMinutes: 90,
      checkMinutes: 5,
    });
    expect(body).toMatchObject({
      protectionDelaySeconds: 172_800,
      approvalTtlSeconds: 5400,
      checkIntervalSeconds: 300,
    });
  });

  it('sends no interval when automatic checks are off', () => {
    expect(protectionChange(environment, form).body.checkIntervalSeconds).toBeNull();
  });

  it('saves a stronger protection immediately', () => {
    const { body, weakened } = protectionChange(environment, { ...form, requiredApprovals: 3 });
    expect([body.requiredApprovals, weakened]).toEqual([3, null]);
  });

  it('leaves weaker settings out of the save and keeps all other settings', () => {
    const edited = { ...form, requiredApprovals: 1, refuseUnknown: false, hostJournal: false };
    const { body, weakened } = protectionChange(environment, edited);
    expect(weakened).toEqual({ requiredApprovals: 1, unknownAuthors: 'show' });
    expect(body).toMatchObject({ hostJournal: false, protected: true });
    expect([body.requiredApprovals, body.unknownAuthors]).toEqual([undefined, undefined]);
  });

  it('weakens nothing in an environment that is not protected', () => {
    const open = { ...environment, protected: false } as Environment;
    expect(protectionChange(open, { ...formOf(open), requiredApprovals: 1 }).weakened).toBeNull();
  });

  it('is unchanged when modes were only checked in another order', () => {
    expect(isSameForm(form, { ...form, allowedModes: ['dry_run', 'auto'] })).toBe(true);
    expect(isSameForm(form, { ...form, allowedModes: ['auto'] })).toBe(false);
  });

  it('shows errors of seconds on the fields in minutes and hours', () => {
    const fields = ['approvalTtlSeconds', 'protectionDelaySeconds', 'protected', 'confirmHosts'];
    expect(fields.map((path) => fieldOf(form, path))).toEqual(['approvalTtlMinutes', 'delayHours', 'protected', null]);
  });
});
