import type { Environment, ProtectionChange } from '../../api/types';
import { limit } from '../../ui/format/format';

export type ProtectionSetting = ProtectionChange['settings'][number]['setting'];
type Settings = Pick<Environment, ProtectionSetting>;

/** Whether the new value makes approval easier, as the API decides it. */
const WEAKENS: { [S in ProtectionSetting]: (from: Settings[S], to: Settings[S]) => boolean } = {
  protected: (from, to) => from && !to,
  requiredApprovals: (from, to) => to < from,
  allowSelfApproval: (from, to) => !from && to,
  unknownAuthors: (from, to) => from === 'refuse' && to === 'show',
  protectionDelaySeconds: (from, to) => to < from,
};

const weakens = <S extends ProtectionSetting>(setting: S, current: Settings, wanted: Settings): boolean =>
  WEAKENS[setting](current[setting], wanted[setting]);

/** Wanted settings that weaken the protection of an environment; null: none. */
export function weakenedSettings(current: Settings, wanted: Settings): Partial<Settings> | null {
  if (!current.protected) return null;
  const settings = (Object.keys(WEAKENS) as ProtectionSetting[]).filter((each) => weakens(each, current, wanted));
  return settings.length > 0 ? Object.fromEntries(settings.map((each) => [each, wanted[each]])) : null;
}

const TEXTS: Record<ProtectionSetting, (to: boolean | number | string) => string> = {
  protected: () => 'Runs need no approval any more',
  requiredApprovals: (to) => `Approvals needed: ${to}`,
  allowSelfApproval: () => 'Who starts a run may approve it',
  unknownAuthors: () => 'Runs start with git content of unknown authors',
  protectionDelaySeconds: (to) => `Delay of such changes: ${limit(Number(to) * 1000)}`,
};

/** What a change does, one sentence each. */
export const changeTexts = (
  settings: readonly Pick<ProtectionChange['settings'][number], 'setting' | 'to'>[],
): string[] => settings.map(({ setting, to }) => TEXTS[setting](to));
