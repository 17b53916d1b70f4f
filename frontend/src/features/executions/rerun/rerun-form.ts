import type { Execution, ExecutionHost, RerunExecutionRequest, RunMode } from '../../../api/types';
import { hasFailed } from '../run/host-outcome';

export type RerunHosts = RerunExecutionRequest['hosts'];

/** How many of the hosts did not come through, of all that a run has. */
export const failedHosts = (hosts: readonly ExecutionHost[]): number => hosts.filter(hasFailed).length;

export interface RerunForm {
  hosts: RerunHosts;
  /** Null: from the first step, or from where each host stands. */
  fromStepKey: string | null;
  snapshot: 'same' | 'current';
  mode: RunMode;
  note: string;
  /** The person has seen that steps look for results in vain. */
  acceptGaps: boolean;
}

/** Hosts that are unfinished go on from where each of them stands; everything else begins with the first step. */
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
