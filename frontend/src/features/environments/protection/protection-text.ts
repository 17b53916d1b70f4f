import type { Environment, ProtectionSetting } from '../../../api/types';

type Settings = Pick<Environment, ProtectionSetting>;

/** Whether the new value makes approval easier. Same rules as in the API. */
const IS_WEAKER: { [S in ProtectionSetting]: (from: Settings[S], to: Settings[S]) => boolean } = {
  protected: (from, to) => from && !to,
  requiredApprovals: (from, to) => to < from,
  allowSelfApproval: (from, to) => !from && to,
  unknownAuthors: (from, to) => from === 'refuse' && to === 'show',
  protectionDelaySeconds: (from, to) => to < from,
};

const isWeaker = <S extends ProtectionSetting>(setting: S, current: Settings, requested: Settings): boolean =>
  IS_WEAKER[setting](current[setting], requested[setting]);

/** Returns the new settings that weaken the protection; null = none. */
export function weakenedSettings(current: Settings, requested: Settings): Partial<Settings> | null {
  if (!current.protected) return null;
  const settings = (Object.keys(IS_WEAKER) as ProtectionSetting[]).filter((each) => isWeaker(each, current, requested));
  return settings.length > 0 ? Object.fromEntries(settings.map((each) => [each, requested[each]])) : null;
}
