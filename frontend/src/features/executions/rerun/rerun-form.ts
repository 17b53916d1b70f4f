import type {
  ActiveFreeze,
  Execution,
  ExecutionHost,
  RerunExecutionRequest,
  RerunHosts,
  RunMode,
} from '../../../api/types';
import { overrideField } from '../../../ui/collections/freeze';
import type { Override } from '../../../ui/forms/start-override';
import { hasFailed } from '../run/host-outcome';

export const countFailedHosts = (hosts: readonly ExecutionHost[]): number => hosts.filter(hasFailed).length;

export interface RerunForm {
  hosts: RerunHosts;
  /** IDs of the only servers on which the run is repeated; absent = all of `hosts`. */
  serverIds?: string[];
  /** Null: from the first step, or from the first unfinished step of each host. */
  fromStepKey: string | null;
  snapshot: 'same' | 'current';
  mode: RunMode;
  note: string;
  override: Override;
  /** True: the user accepts that steps refer to missing results. */
  acceptGaps: boolean;
}

export const initialRerun = (run: Execution, hosts: RerunHosts, serverIds?: string[]): RerunForm => ({
  hosts,
  serverIds,
  fromStepKey: null,
  snapshot: 'same',
  mode: run.execution_mode,
  note: '',
  override: null,
  acceptGaps: false,
});

/** @param freeze active freeze; an override is sent only if there is one */
export const toRerunRequest = (
  run: Execution,
  form: RerunForm,
  freeze: ActiveFreeze | null = null,
): RerunExecutionRequest => ({
  hosts: form.hosts,
  snapshot: form.snapshot,
  ...(form.serverIds ? { serverIds: form.serverIds } : {}),
  ...(form.fromStepKey ? { fromStepKey: form.fromStepKey } : {}),
  ...(form.acceptGaps ? { acceptGaps: true } : {}),
  ...(form.mode === run.execution_mode ? {} : { execution_mode: form.mode }),
  ...(form.note.trim() ? { note: form.note.trim() } : {}),
  ...overrideField(freeze, form.mode, form.override),
});
