/** Statuses of a run, its steps and its hosts (design: domain §4). */
export const EXECUTION_STATUSES = [
  'PENDING',
  'RUNNING',
  'PAUSED',
  'CANCELLING',
  'SUCCEEDED',
  'PARTIALLY_SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'REJECTED',
  'EXPIRED',
  'TIMED_OUT',
  'INTERRUPTED',
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

const UNFINISHED: ReadonlySet<ExecutionStatus> = new Set(['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING']);
export const isFinished = (status: ExecutionStatus): boolean => !UNFINISHED.has(status);
export const isSuccessful = (status: ExecutionStatus): boolean =>
  status === 'SUCCEEDED' || status === 'PARTIALLY_SUCCEEDED';

export const STEP_STATUSES = [
  'PENDING',
  'RUNNING',
  'PAUSED',
  'SUCCEEDED',
  'PARTIALLY_SUCCEEDED',
  'FAILED',
  'SKIPPED',
  'CANCELLED',
] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export const HOST_STATUSES = [
  'PENDING',
  'CONNECTING',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'UNREACHABLE',
  'HOST_KEY_MISMATCH',
  'TIMED_OUT',
  'SKIPPED',
  'CANCELLED',
  'UNKNOWN',
] as const;
export type HostStatus = (typeof HOST_STATUSES)[number];

const HOST_UNFINISHED: ReadonlySet<HostStatus> = new Set(['PENDING', 'CONNECTING', 'RUNNING']);
export const isHostFinished = (status: HostStatus): boolean => !HOST_UNFINISHED.has(status);

/** Run modes (spec, States). This version runs `auto`. */
export const EXECUTION_MODES = ['auto'] as const;
export type ExecutionMode = (typeof EXECUTION_MODES)[number];
