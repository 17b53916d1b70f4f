import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClock,
  IconClockExclamation,
  IconHelpCircle,
  IconKey,
  IconKeyOff,
  IconLoader2,
  IconPlayerPause,
  IconPlayerSkipForward,
  IconPlugConnected,
  IconPlugConnectedX,
  IconShieldLock,
  IconTerminal2,
} from '@tabler/icons-react';
import type {
  ExecutionStatus,
  ExecutionSummary,
  HostStatus,
  PauseReason,
  ServerState,
  StepStatus,
} from '../../api/types';

/** Severity of a status. `status.module.css` has the colours of each tone. */
export type Tone = 'idle' | 'active' | 'good' | 'warn' | 'bad' | 'muted';

export interface StatusStyle {
  tone: Tone;
  icon: Icon;
  label: string;
}

export type AnyStatus = ExecutionStatus | StepStatus | HostStatus;

const STATUSES: Record<AnyStatus, StatusStyle> = {
  PENDING: { tone: 'idle', icon: IconCircleDashed, label: 'Pending' },
  CONNECTING: { tone: 'active', icon: IconPlugConnected, label: 'Connecting' },
  RUNNING: { tone: 'active', icon: IconLoader2, label: 'Running' },
  PAUSED: { tone: 'warn', icon: IconPlayerPause, label: 'Paused' },
  CANCELLING: { tone: 'warn', icon: IconBan, label: 'Cancelling' },
  SUCCEEDED: { tone: 'good', icon: IconCircleCheck, label: 'Succeeded' },
  PARTIALLY_SUCCEEDED: { tone: 'warn', icon: IconAlertTriangle, label: 'Partly succeeded' },
  FAILED: { tone: 'bad', icon: IconCircleX, label: 'Failed' },
  CANCELLED: { tone: 'muted', icon: IconBan, label: 'Cancelled' },
  REJECTED: { tone: 'bad', icon: IconBan, label: 'Rejected' },
  EXPIRED: { tone: 'muted', icon: IconClock, label: 'Expired' },
  TIMED_OUT: { tone: 'bad', icon: IconClockExclamation, label: 'Timed out' },
  INTERRUPTED: { tone: 'bad', icon: IconPlugConnectedX, label: 'Interrupted' },
  UNREACHABLE: { tone: 'bad', icon: IconPlugConnectedX, label: 'Unreachable' },
  HOST_KEY_UNKNOWN: { tone: 'bad', icon: IconKey, label: 'Host key not accepted' },
  HOST_KEY_CHANGED: { tone: 'bad', icon: IconKeyOff, label: 'Host key changed' },
  SKIPPED: { tone: 'muted', icon: IconPlayerSkipForward, label: 'Skipped' },
  UNKNOWN: { tone: 'warn', icon: IconHelpCircle, label: 'Unknown' },
};

const CHECK_STATES: Record<ServerState, StatusStyle> = {
  unchecked: { tone: 'muted', icon: IconHelpCircle, label: 'Never checked' },
  reachable: { tone: 'good', icon: IconCircleCheck, label: 'Reachable' },
  host_key_unknown: { tone: 'warn', icon: IconHelpCircle, label: 'Host key not accepted' },
  host_key_accepted: { tone: 'idle', icon: IconKey, label: 'Host key accepted, not checked' },
  host_key_changed: { tone: 'bad', icon: IconKeyOff, label: 'Host key changed' },
  login_refused: { tone: 'bad', icon: IconBan, label: 'Login refused' },
  no_commands: { tone: 'bad', icon: IconTerminal2, label: 'Login works, commands fail' },
  protected_host: { tone: 'bad', icon: IconShieldLock, label: 'Protected host' },
  unreachable: { tone: 'bad', icon: IconPlugConnectedX, label: 'Unreachable' },
};

export const statusStyle = (status: AnyStatus): StatusStyle => STATUSES[status];
export const SERVER_STATES = Object.keys(CHECK_STATES) as ServerState[];
export const checkStyle = (state: ServerState): StatusStyle => CHECK_STATES[state];

export const UNFINISHED: readonly ExecutionStatus[] = ['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING'];
export const UNSUCCESSFUL: readonly ExecutionStatus[] = ['PARTIALLY_SUCCEEDED', 'FAILED', 'TIMED_OUT', 'INTERRUPTED'];

const WAITS: Record<PauseReason, string> = {
  APPROVAL: 'Waiting for approval',
  STEP_CONFIRM: 'Waiting for confirmation',
  FAILURE_DECISION: 'Waiting for a decision',
  GATE: 'Waiting at a gate',
  REQUESTED: 'Paused on request',
};

/** Labels of accepted runs that cannot start yet, by reason code. */
const HELD_LABELS: Record<string, string> = {
  collection_frozen: 'Held by a freeze',
  outside_run_window: 'Waiting for the run window',
};

const heldLabel = ({ status, statusReason }: Pick<ExecutionSummary, 'status' | 'statusReason'>): string | undefined =>
  status === 'PENDING' ? HELD_LABELS[statusReason?.code ?? ''] : undefined;

export const isHeld = (run: Pick<ExecutionSummary, 'status' | 'statusReason'>): boolean => heldLabel(run) !== undefined;

/** Labels of accepted runs that wait for a worker, by reason code. */
const WORKER_WAIT_LABELS: Record<string, string> = {
  no_worker: 'No worker is running',
  no_free_slot: 'Waiting for a free slot',
};

/** Returns the label of a run's status. For a waiting run, the label says what the run waits for. */
export function runStatusLabel(
  run: Pick<ExecutionSummary, 'status' | 'pauseReason' | 'statusReason' | 'queue'>,
): string {
  const held = heldLabel(run);
  if (held !== undefined) return held;
  if (run.queue) return run.queue.position === null ? 'Starts later' : `Queued, position ${run.queue.position}`;
  const workerWait = run.status === 'PENDING' ? WORKER_WAIT_LABELS[run.statusReason?.code ?? ''] : undefined;
  if (workerWait !== undefined) return workerWait;
  return run.status === 'PAUSED' && run.pauseReason ? WAITS[run.pauseReason] : statusStyle(run.status).label;
}
