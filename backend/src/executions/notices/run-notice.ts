import type { ExecutionMode, ExecutionStatus, HostStatus, PauseReason } from '../lifecycle/statuses.js';

/** Data of a run for notifications. Equal for all recipients, because they can all see its environment. */
export interface RunNotice {
  executionId: string;
  planId: string;
  planName: string;
  environmentId: string;
  environmentName: string;
  status: ExecutionStatus;
  mode: ExecutionMode;
  reason: string | null;
  note: string | null;
  startedByName: string;
  createdAt: Date;
  firstFailure: RunFailure | null;
  pause: RunPause | null;
  approval: RunApproval | null;
}

export interface RunFailure {
  hostName: string;
  stepName: string;
  status: HostStatus;
  exitCode: number | null;
  message: string | null;
  lastLines: string[];
  hosts: number;
}

export interface RunPause {
  reason: PauseReason;
  /** Start of the pause. Identifies the pause within the run. */
  since: Date;
  until: Date;
  stepName: string | null;
  text: string | null;
}

export interface RunApproval {
  round: number;
  required: number;
  given: number;
  until: Date;
  reason: string | null;
  /** Names of the first members who can approve now and have not yet done so. */
  approvers: string[];
  moreApprovers: number;
}
