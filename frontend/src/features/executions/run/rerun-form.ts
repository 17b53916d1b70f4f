import type { Execution, ExecutionHost, RerunExecutionRequest, RunMode } from '../../../api/types';
import { hasFailed } from '../pause/host-choice';

/** How many of the hosts did not come through, of all that a run has. */
export const failedHosts = (hosts: readonly ExecutionHost[]): number => hosts.filter(hasFailed).length;

export interface RerunForm {
  hosts: 'all' | 'failed';
  /** Null: from the first step. */
  fromStepKey: string | null;
  snapshot: 'same' | 'current';
  mode: RunMode;
  note: string;
}

/** Where a second try usually begins: at the step that failed when it is for the hosts that failed there. */
export const initialRerun = (run: Execution, hosts: 'all' | 'failed'): RerunForm => ({
  hosts,
  fromStepKey: hosts === 'failed' ? (run.steps.find(({ status }) => status === 'FAILED')?.key ?? null) : null,
  snapshot: 'same',
  mode: run.execution_mode,
  note: '',
});

export const toRerunRequest = (run: Execution, form: RerunForm): RerunExecutionRequest => ({
  hosts: form.hosts,
  snapshot: form.snapshot,
  ...(form.fromStepKey && form.fromStepKey !== run.steps[0]?.key ? { fromStepKey: form.fromStepKey } : {}),
  ...(form.mode === run.execution_mode ? {} : { execution_mode: form.mode }),
  ...(form.note.trim() ? { note: form.note.trim() } : {}),
});
