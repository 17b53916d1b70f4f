import type { UnknownAuthors } from './unknown-authors.js';

/** Settings that protect an environment. A change can weaken them. */
export const PROTECTION_SETTINGS = [
  'protected',
  'requiredApprovals',
  'allowSelfApproval',
  'unknownAuthors',
  'protectionDelaySeconds',
] as const;
export type ProtectionSetting = (typeof PROTECTION_SETTINGS)[number];

export interface ProtectionSettings {
  protected: boolean;
  requiredApprovals: number;
  allowSelfApproval: boolean;
  unknownAuthors: UnknownAuthors;
  protectionDelaySeconds: number;
}
export type SettingValue = ProtectionSettings[ProtectionSetting];

export type SettingChanges = Partial<Record<ProtectionSetting, { from: SettingValue; to: SettingValue }>>;

const IS_WEAKENING_BY_SETTING: {
  [S in ProtectionSetting]: (from: ProtectionSettings[S], to: ProtectionSettings[S]) => boolean;
} = {
  protected: (from, to) => from && !to,
  requiredApprovals: (from, to) => to < from,
  allowSelfApproval: (from, to) => !from && to,
  unknownAuthors: (from, to) => from === 'refuse' && to !== 'refuse',
  protectionDelaySeconds: (from, to) => to < from,
};

/** Returns the requested changes that weaken the protection; empty if the environment is not protected. */
export function findWeakening(environment: ProtectionSettings, request: Partial<ProtectionSettings>): SettingChanges {
  const changes: SettingChanges = {};
  if (!environment.protected) return changes;
  for (const setting of PROTECTION_SETTINGS) addIfWeakening(changes, setting, environment, request);
  return changes;
}

function addIfWeakening<F extends ProtectionSetting>(
  changes: SettingChanges,
  setting: F,
  environment: ProtectionSettings,
  request: Partial<ProtectionSettings>,
): void {
  const from = environment[setting];
  const to = request[setting];
  if (to !== undefined && IS_WEAKENING_BY_SETTING[setting](from, to)) changes[setting] = { from, to };
}

/** Such as `protected: true to false`. */
export const describeWeakening = (changes: SettingChanges): string =>
  Object.entries(changes)
    .map(([setting, { from, to }]) => `${setting}: ${from} to ${to}`)
    .join(', ');
