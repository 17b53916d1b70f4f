import type { ExecutionMode, ExecutionStatus, HostStatus, PauseReason } from '../lifecycle/statuses.js';

/** What people who are told of a run are told, whoever they are; they may see its environment. */
export interface RunNotice {
  executionId: string;
  planId: string;
  planName: string;
  environmentId: string;
  environmentName: string;
  status: ExecutionStatus;
  mode: ExecutionMode;
  /** Why it has this status, in words. */
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
  /** Hosts on which something went wrong. */
  hosts: number;
}

export interface RunPause {
  reason: PauseReason;
  /** When it began: it tells this pause from others of the run. */
  since: Date;
  until: Date;
  stepName: string | null;
  text: string | null;
}

/** The request for approval that the run waits for. */
export interface RunApproval {
  round: number;
  required: number;
  given: number;
  until: Date;
  reason: string | null;
  /** Who may approve now and has not, by name: the first of them. */
  approvers: string[];
  moreApprovers: number;
}
