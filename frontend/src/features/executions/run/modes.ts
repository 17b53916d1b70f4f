import type { Execution, RunMode } from '../../../api/types';

/** Modes that an active run may be switched to: only towards fewer confirmations. */
const SWITCHES: Record<RunMode, readonly RunMode[]> = {
  auto: [],
  semi_assisted: ['auto'],
  interactive: ['semi_assisted', 'auto'],
  dry_run: [],
};

export const switchesOf = ({ execution_mode, status }: Pick<Execution, 'execution_mode' | 'status'>) =>
  status === 'PENDING' || status === 'RUNNING' || status === 'PAUSED' ? SWITCHES[execution_mode] : [];
