import type { Execution, ExecutionHost, RerunExecutionRequest, RunMode } from '../../../api/types';
import { hasFailed } from '../run/host-outcome';

export type RerunHosts = RerunExecutionRequest['hosts'];

/** Number of hosts that failed. */
export const failedHosts = (hosts: readonly ExecutionHost[]): number => hosts.filter(hasFailed).length;

export interface RerunForm {
  hosts: RerunHosts;
  /** Null: from the first step, or from where each host stopped. */
  fromStepKey: string | null;
  snapshot: 'same' | 'current';
  mode: RunMode;
  note: string;
  /** The user accepts that steps refer to missing results. */
  acceptGaps: boolean;
}

export const initialRerun = (run: Execution, hosts: RerunHosts): RerunForm => ({
  hosts,
  fromStepKey: null,
  snapshot: 'same',
  mode: run.execution_mode,
  note: '',
  acceptGaps: false,
});

export const toRerunRequest = (run: Execution, form: RerunForm): RerunExecutionRequest => ({
  hosts: form.hosts,
  snapshot: form.snapshot,
  ...(form.fromStepKey ? { fromStepKey: form.fromStepKey } : {}),
  ...(form.acceptGaps ? { acceptGaps: true } : {}),
  ...(form.mode === run.execution_mode ? {} : { execution_mode: form.mode }),
  ...(form.note.trim() ? { note: form.note.trim() } : {}),
});
