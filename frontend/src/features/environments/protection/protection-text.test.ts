import { describe, expect, it } from 'vitest';
import { weakenedSettings } from './protection-text';

const current = {
  ...{ protected: true, requiredApprovals: 2, allowSelfApproval: false },
  ...{ unknownAuthors: 'refuse' as const, protectionDelaySeconds: 7200 },
};

describe('weakenedSettings', () => {
  it('holds what weakens the protection, and nothing else', () => {
    expect(weakenedSettings(current, { ...current, requiredApprovals: 1, protectionDelaySeconds: 9000 })).toEqual({
      requiredApprovals: 1,
    });
    expect(weakenedSettings(current, { ...current, unknownAuthors: 'show' })).toEqual({ unknownAuthors: 'show' });
    expect(weakenedSettings(current, { ...current, protected: false, allowSelfApproval: true })).toEqual({
      protected: false,
      allowSelfApproval: true,
    });
  });

  it('is null when nothing does, or the environment is not protected', () => {
    expect(weakenedSettings(current, { ...current, requiredApprovals: 3 })).toBeNull();
    expect(weakenedSettings({ ...current, protected: false }, { ...current, allowSelfApproval: true })).toBeNull();
  });
});
