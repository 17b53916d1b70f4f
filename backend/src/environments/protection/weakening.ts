/** Settings of a protected environment that a change can weaken. */
export const PROTECTION_SETTINGS = [
  'protected',
  'requiredApprovals',
  'allowSelfApproval',
  'protectionDelaySeconds',
] as const;
export type ProtectionSetting = (typeof PROTECTION_SETTINGS)[number];
export interface ProtectionSettings {
  protected: boolean;
  requiredApprovals: number;
  allowSelfApproval: boolean;
  protectionDelaySeconds: number;
}

/** Old and new value of each setting that a change weakens. */
export type SettingChanges = Partial<Record<ProtectionSetting, { from: boolean | number; to: boolean | number }>>;

/** Whether the new value lets runs in more easily. Of switches false counts as 0 and true as 1. */
const WEAKENS: Record<ProtectionSetting, (from: number, to: number) => boolean> = {
  protected: (from, to) => to < from,
  requiredApprovals: (from, to) => to < from,
  allowSelfApproval: (from, to) => to > from,
  protectionDelaySeconds: (from, to) => to < from,
};

/** What of the request weakens the protection of the environment; empty: nothing, or the environment is not protected. */
export function weakeningOf(environment: ProtectionSettings, request: Partial<ProtectionSettings>): SettingChanges {
  const changes: SettingChanges = {};
  if (!environment.protected) return changes;
  for (const setting of PROTECTION_SETTINGS) {
    const [from, to] = [environment[setting], request[setting]];
    if (to !== undefined && WEAKENS[setting](Number(from), Number(to))) changes[setting] = { from, to };
  }
  return changes;
}

/** `protected: true to false`, for messages. */
export const weakeningText = (changes: SettingChanges): string =>
  Object.entries(changes)
    .map(([setting, { from, to }]) => `${setting}: ${from} to ${to}`)
    .join(', ');
