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

/** Audit action of the change to this status. */
export const toStatusAction = (status: ExecutionStatus) =>
  `execution.${status.toLowerCase() as Lowercase<ExecutionStatus>}` as const;

const UNFINISHED_STATUSES: ReadonlySet<ExecutionStatus> = new Set(['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING']);
export const isFinished = (status: ExecutionStatus): boolean => !UNFINISHED_STATUSES.has(status);
export const isSuccessful = (status: ExecutionStatus): boolean =>
  status === 'SUCCEEDED' || status === 'PARTIALLY_SUCCEEDED';

/** CANCELLING is excluded. */
export const CANCELLABLE_STATUSES = ['PENDING', 'RUNNING', 'PAUSED'] as const satisfies ExecutionStatus[];

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
  'HOST_KEY_UNKNOWN',
  'HOST_KEY_CHANGED',
  'TIMED_OUT',
  'SKIPPED',
  'CANCELLED',
  'UNKNOWN',
] as const;
export type HostStatus = (typeof HOST_STATUSES)[number];

const UNFINISHED_HOST_STATUSES: ReadonlySet<HostStatus> = new Set(['PENDING', 'CONNECTING', 'RUNNING']);
export const isHostFinished = (status: HostStatus): boolean => !UNFINISHED_HOST_STATUSES.has(status);

/** Statuses of a host on which a step failed or has an unknown result. */
export const FAILURE_STATUSES: ReadonlySet<HostStatus> = new Set<HostStatus>([
  'FAILED',
  'UNREACHABLE',
  'HOST_KEY_UNKNOWN',
  'HOST_KEY_CHANGED',
  'TIMED_OUT',
  'UNKNOWN',
]);

/** Pauses of each mode: design domain §3. */
export const EXECUTION_MODES = ['auto', 'semi_assisted', 'interactive', 'dry_run'] as const;
export type ExecutionMode = (typeof EXECUTION_MODES)[number];

/** A run may only switch to a mode with fewer pauses. */
export const ALLOWED_MODE_SWITCHES: Readonly<Record<ExecutionMode, readonly ExecutionMode[]>> = {
  auto: [],
  semi_assisted: ['auto'],
  interactive: ['semi_assisted', 'auto'],
  dry_run: [],
};

/** What a new run does when its guard keys are taken: it is refused, or queues in order of arrival. */
export const OVERLAP_ACTIONS = ['refuse', 'queue'] as const;
export type OverlapAction = (typeof OVERLAP_ACTIONS)[number];

/** What a run without its guard keys waits for, if it does not wait for an approval. */
export const QUEUE_REASONS = ['start_time', 'overlap'] as const;
export type QueueReason = (typeof QUEUE_REASONS)[number];

export const PAUSE_REASONS = ['APPROVAL', 'STEP_CONFIRM', 'FAILURE_DECISION', 'GATE', 'REQUESTED'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

export const DECISION_ACTIONS = ['proceed', 'retry', 'retry_failed', 'skip', 'exclude_hosts', 'abort'] as const;
export type DecisionAction = (typeof DECISION_ACTIONS)[number];

/** Actions that a person can choose, by pause reason. Approvals have their own routes. */
export const PAUSE_ACTIONS: Readonly<Record<PauseReason, readonly DecisionAction[]>> = {
  APPROVAL: [],
  STEP_CONFIRM: ['proceed', 'skip', 'abort'],
  FAILURE_DECISION: ['retry', 'retry_failed', 'skip', 'exclude_hosts', 'abort'],
  GATE: ['proceed', 'abort'],
  REQUESTED: ['proceed', 'abort'],
};

export const VERDICTS = ['WOULD_RUN', 'WOULD_CHANGE', 'NO_CHANGE', 'WOULD_SKIP', 'CANNOT_PREDICT', 'BLOCKED'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Most severe first. */
export const VERDICTS_BY_SEVERITY: readonly Verdict[] = [
  'BLOCKED',
  'CANNOT_PREDICT',
  'WOULD_CHANGE',
  'WOULD_RUN',
  'NO_CHANGE',
  'WOULD_SKIP',
];
