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

const weakens = <S extends ProtectionSetting>(setting: S, current: Settings, requested: Settings): boolean =>
  WEAKENS[setting](current[setting], requested[setting]);

/** New settings that weaken the protection of an environment; null: none. */
export function weakenedSettings(current: Settings, requested: Settings): Partial<Settings> | null {
  if (!current.protected) return null;
  const settings = (Object.keys(WEAKENS) as ProtectionSetting[]).filter((each) => weakens(each, current, requested));
  return settings.length > 0 ? Object.fromEntries(settings.map((each) => [each, requested[each]])) : null;
}

const TEXTS: Record<ProtectionSetting, (to: boolean | number | string) => string> = {
  protected: () => 'Runs no longer need approval',
  requiredApprovals: (to) => `Required approvals: ${to}`,
  allowSelfApproval: () => 'Requesters can approve their own runs',
  unknownAuthors: () => 'Runs can use git content of unknown authors',
  protectionDelaySeconds: (to) => `Delay for such changes: ${limit(Number(to) * 1000)}`,
};

/** Effects of a change, one sentence each. */
export const changeTexts = (
  settings: readonly Pick<ProtectionChange['settings'][number], 'setting' | 'to'>[],
): string[] => settings.map(({ setting, to }) => TEXTS[setting](to));
