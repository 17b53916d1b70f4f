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
} from '@tabler/icons-react';
import type {
  ExecutionStatus,
  ExecutionSummary,
  HostStatus,
  PauseReason,
  ServerCheckState,
  StepStatus,
} from '../../api/types';

/** What a status means for the eye; each tone has its colours in `status.module.css`. */
export type Tone = 'idle' | 'active' | 'good' | 'warn' | 'bad' | 'muted';

export interface StatusLook {
  tone: Tone;
  icon: Icon;
  word: string;
}

export type AnyStatus = ExecutionStatus | StepStatus | HostStatus;

const LOOKS: Record<AnyStatus, StatusLook> = {
  PENDING: { tone: 'idle', icon: IconCircleDashed, word: 'Pending' },
  CONNECTING: { tone: 'active', icon: IconPlugConnected, word: 'Connecting' },
  RUNNING: { tone: 'active', icon: IconLoader2, word: 'Running' },
  PAUSED: { tone: 'warn', icon: IconPlayerPause, word: 'Paused' },
  CANCELLING: { tone: 'warn', icon: IconBan, word: 'Cancelling' },
  SUCCEEDED: { tone: 'good', icon: IconCircleCheck, word: 'Succeeded' },
  PARTIALLY_SUCCEEDED: { tone: 'warn', icon: IconAlertTriangle, word: 'Partly succeeded' },
  FAILED: { tone: 'bad', icon: IconCircleX, word: 'Failed' },
  CANCELLED: { tone: 'muted', icon: IconBan, word: 'Cancelled' },
  REJECTED: { tone: 'bad', icon: IconBan, word: 'Rejected' },
  EXPIRED: { tone: 'muted', icon: IconClock, word: 'Expired' },
  TIMED_OUT: { tone: 'bad', icon: IconClockExclamation, word: 'Timed out' },
  INTERRUPTED: { tone: 'bad', icon: IconPlugConnectedX, word: 'Interrupted' },
  UNREACHABLE: { tone: 'bad', icon: IconPlugConnectedX, word: 'Unreachable' },
  HOST_KEY_UNKNOWN: { tone: 'bad', icon: IconKey, word: 'Host key not accepted' },
  HOST_KEY_MISMATCH: { tone: 'bad', icon: IconKeyOff, word: 'Host key mismatch' },
  SKIPPED: { tone: 'muted', icon: IconPlayerSkipForward, word: 'Skipped' },
  UNKNOWN: { tone: 'warn', icon: IconHelpCircle, word: 'Unknown' },
};

const CHECKS: Record<ServerCheckState, StatusLook> = {
  reachable: { tone: 'good', icon: IconCircleCheck, word: 'Reachable' },
  host_key_unknown: { tone: 'warn', icon: IconHelpCircle, word: 'Host key not accepted' },
  host_key_accepted: { tone: 'idle', icon: IconKey, word: 'Key accepted, login not tried' },
  host_key_changed: { tone: 'bad', icon: IconKeyOff, word: 'Host key changed' },
  login_refused: { tone: 'bad', icon: IconBan, word: 'Login refused' },
  protected_host: { tone: 'bad', icon: IconShieldLock, word: 'Protected host' },
  unreachable: { tone: 'bad', icon: IconPlugConnectedX, word: 'Unreachable' },
};

export const lookOf = (status: AnyStatus): StatusLook => LOOKS[status];
export const lookOfCheck = (state: ServerCheckState): StatusLook => CHECKS[state];

export const EXECUTION_STATUSES: readonly ExecutionStatus[] = [
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
];
export const UNFINISHED: readonly ExecutionStatus[] = ['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING'];
export const UNSUCCESSFUL: readonly ExecutionStatus[] = ['PARTIALLY_SUCCEEDED', 'FAILED', 'TIMED_OUT', 'INTERRUPTED'];

const WAITS: Record<PauseReason, string> = {
  APPROVAL: 'Waits for approval',
  STEP_CONFIRM: 'Waits for a go-ahead',
  FAILURE_DECISION: 'Waits for a decision',
  GATE: 'Waits at a gate',
  REQUESTED: 'Paused on request',
};

/** What a run's status is called: of a paused one, what it waits for. */
export const runStatusWord = ({ status, pauseReason }: Pick<ExecutionSummary, 'status' | 'pauseReason'>): string =>
  status === 'PAUSED' && pauseReason ? WAITS[pauseReason] : lookOf(status).word;
