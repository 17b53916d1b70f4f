import type { Environment, ProtectionChange } from '../../api/types';
import { limit } from '../../ui/format/format';

type Settings = Pick<Environment, 'protected' | 'requiredApprovals' | 'allowSelfApproval' | 'protectionDelaySeconds'>;

/** What of the wanted settings weakens the protection of an environment, as the server decides it; null: nothing. */
export function weakenedSettings(current: Settings, wanted: Settings): Partial<Settings> | null {
  if (!current.protected) return null;
  const weakened: Partial<Settings> = {};
  if (!wanted.protected) weakened.protected = false;
  if (wanted.requiredApprovals < current.requiredApprovals) weakened.requiredApprovals = wanted.requiredApprovals;
  if (wanted.allowSelfApproval && !current.allowSelfApproval) weakened.allowSelfApproval = true;
  if (wanted.protectionDelaySeconds < current.protectionDelaySeconds)
    weakened.protectionDelaySeconds = wanted.protectionDelaySeconds;
  return Object.keys(weakened).length > 0 ? weakened : null;
}

const TEXTS: Record<ProtectionChange['settings'][number]['setting'], (to: boolean | number) => string> = {
  protected: () => 'Runs need no approval any more',
  requiredApprovals: (to) => `Approvals needed: ${to}`,
  allowSelfApproval: () => 'Who starts a run may approve it',
  protectionDelaySeconds: (to) => `Delay of such changes: ${limit(Number(to) * 1000)}`,
};

/** What a change does, one sentence each. */
export const changeTexts = (
  settings: readonly Pick<ProtectionChange['settings'][number], 'setting' | 'to'>[],
): string[] => settings.map(({ setting, to }) => TEXTS[setting](to));
