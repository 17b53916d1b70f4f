import type { Environment } from '../../api/types';
import type { ProtectionSetting } from '../../ui/environments/change-texts';

type Settings = Pick<Environment, ProtectionSetting>;

/** Whether the new value makes approval easier, as the API decides it. */
const IS_WEAKER: { [S in ProtectionSetting]: (from: Settings[S], to: Settings[S]) => boolean } = {
  protected: (from, to) => from && !to,
  requiredApprovals: (from, to) => to < from,
  allowSelfApproval: (from, to) => !from && to,
  unknownAuthors: (from, to) => from === 'refuse' && to === 'show',
  protectionDelaySeconds: (from, to) => to < from,
};

const isWeaker = <S extends ProtectionSetting>(setting: S, current: Settings, requested: Settings): boolean =>
  IS_WEAKER[setting](current[setting], requested[setting]);

/** New settings that weaken the protection of an environment; null: none. */
export function weakenedSettings(current: Settings, requested: Settings): Partial<Settings> | null {
  if (!current.protected) return null;
  const settings = (Object.keys(IS_WEAKER) as ProtectionSetting[]).filter((each) => isWeaker(each, current, requested));
  return settings.length > 0 ? Object.fromEntries(settings.map((each) => [each, requested[each]])) : null;
}
