import type { ExecutionMode, ExecutionStatus, HostStatus, PauseReason, StepStatus } from './statuses.js';

/** State of one host in an open step. */
export interface HostInStep {
  status: HostStatus;
  /** The intent to start the command was stored: it may have begun on the host. */
  dispatched: boolean;
  /** A person has decided on its failure here, and is not asked again. Only between steps of a free plan. */
  answered?: true;
}

/** A step that is RUNNING, or PAUSED after a failure, and the hosts that have reached it. */
export interface OpenStep {
  index: number;
  hosts: Readonly<Record<string, HostInStep>>;
}

/**
 * `barrier`: a step begins when every host of the previous one has a result. `free`: each host advances independently.
 */
type Strategy = 'barrier' | 'free';

/** Properties of a step that control the order of the run. Its effect on a host is not known here. */
export interface StepPolicy {
  gate: boolean;
  /** A gate that marks work which the plan lacks. */
  placeholder: boolean;
  confirm: boolean;
  always: boolean;
  runOnce: boolean;
  /** Hosts at a time; null: all of them. */
  batch: { hosts: number } | { percent: number } | null;
  /** Percentage of its hosts that may fail; null: the plan's limit over the run's hosts. */
  maxFailPercent: number | null;
  onFailure: 'stop' | 'continue';
  /** The step itself continues after failures, whatever the plan says: the run does not pause. */
  continuesOnFailure: boolean;
  /** Step keys: it runs on hosts that one of them changed. Empty: on all of its hosts. */
  onlyIfChanged: readonly string[];
}

export interface StepState {
  key: string;
  status: StepStatus;
  /** Why it was skipped or cancelled, or continued despite failures. */
  reason: StatusReason | null;
  /** Ids of the servers that the step's selector matched when the run was accepted. */
  targets: readonly string[];
  policy: StepPolicy;
  confirmed: boolean;
}

/** Why a run or a step has its status: `code` for programs, `text` for people. */
export interface StatusReason {
  code: string;
  text: string;
}

/** The run waits for a person, before or in the step at `index`; null: before any. */
export interface Pause {
  reason: PauseReason;
  index: number | null;
  text: string | null;
}

/**
 * Whether the run may continue with its next step, looked up by the caller of a decision. `reapprove`: its approval is
 * no longer valid; `revoked`: its requester may no longer run there; `held`: it has not begun, and may not begin yet.
 */
export type Clearance = { kind: 'clear' } | { kind: 'reapprove' | 'revoked' | 'held'; reason: StatusReason };

/**
 * Whether a run has its guard keys; no worker takes it before. `waiting`: not yet, and not checked. Results of a check:
 * `early`, its start time has not come; `blocked`, other runs hold its keys or are ahead of it in the queue; `free`, it
 * has just acquired them; `late`, its time in the queue is over; `refused`, its keys are not free and it does not wait
 * for them.
 */
export type Admission =
  | { kind: 'admitted' | 'waiting' | 'early' | 'blocked' | 'free' }
  | { kind: 'late' | 'refused'; reason: StatusReason };

export interface RunState {
  status: ExecutionStatus;
  reason: StatusReason | null;
  mode: ExecutionMode;
  strategy: Strategy;
  /** Percentage of the run's hosts that may fail, for steps without a limit of their own. */
  maxFailPercent: number;
  steps: readonly StepState[];
  /**
   * Contains only some hosts of the run. None of the run's hosts failed in an open step, and other hosts are running
   * there.
   */
  partial?: true;
  /** Status of each host in the run: PENDING while it may still take part. */
  hosts: Readonly<Record<string, HostStatus>>;
  /** Ascending; empty between steps. Several only where hosts advance independently. */
  open: readonly OpenStep[];
  /** Last step that each host has reached, in a free plan: neither it nor an earlier one starts again. */
  reached: Readonly<Record<string, number>>;
  /** Failures of hosts that a person let continue. */
  toleratedFailures: Readonly<Record<string, HostStatus>>;
  /** Hosts that a step changed, by step key: for handlers. */
  changed: Readonly<Record<string, readonly string[]>>;
  /** Hosts that completed a step in the run that this one continues, by step key: they do not run it again. */
  done: Readonly<Record<string, readonly string[]>>;
  pause: Pause | null;
  /** Requester of a pause at the next step boundary. */
  pauseRequestedBy: string | null;
  clearance: Clearance;
  admission: Admission;
  /** Results that a decision itself set for hosts without one (lost, or stopped before they began). */
  settled: readonly { index: number; hosts: Readonly<Record<string, HostStatus>> }[];
  /** Hosts whose result of a step a decision removed to run it again; else null. */
  reopened: { index: number; hosts: readonly string[] } | null;
  /** Hosts whose failure in a step a decision answered, see `HostInStep`; else null. */
  answered: { index: number; hosts: readonly string[] } | null;
}

export const CLEAR: Clearance = { kind: 'clear' };
export const ADMITTED: Admission = { kind: 'admitted' };
