import type { ProtectionChange, ProtectionSetting } from '../../api/types';
import { limit } from '../format/format';

const TEXTS: Record<ProtectionSetting, (to: boolean | number | string) => string> = {
  protected: () => 'Runs no longer need approval',
  requiredApprovals: (to) => `Required approvals: ${to}`,
  allowSelfApproval: () => 'Requesters can approve their own runs',
  unknownAuthors: () => 'Runs can use git content of unknown authors',
  protectionDelaySeconds: (to) => `Delay for such changes: ${limit(Number(to) * 1000)}`,
};

/** Returns the effects of a change, one sentence each. */
export const changeTexts = (
  settings: readonly Pick<ProtectionChange['settings'][number], 'setting' | 'to'>[],
): string[] => settings.map(({ setting, to }) => TEXTS[setting](to));
