import type { Execution, RunMode } from '../../../api/types';

/** Modes to which an active run may switch: always towards fewer confirmations. */
const MODE_SWITCHES: Record<RunMode, readonly RunMode[]> = {
  auto: [],
  semi_assisted: ['auto'],
  interactive: ['semi_assisted', 'auto'],
  dry_run: [],
};

export const modeSwitchesOf = ({ execution_mode, status }: Pick<Execution, 'execution_mode' | 'status'>) =>
  status === 'PENDING' || status === 'RUNNING' || status === 'PAUSED' ? MODE_SWITCHES[execution_mode] : [];
