import type { Reason } from '../../common/http/reason.view.js';
import type { ExecutionMode, ExecutionStatus, HostStatus, PauseReason, StepStatus } from './statuses.js';

export interface HostInStep {
  status: HostStatus;
  /** The intent to start the command was stored: the command may have begun on the host. */
  dispatched: boolean;
  /** A person has decided on the host's failure in this step, and is not asked again. Set only in free plans. */
  answered?: true;
}

/** A step that is RUNNING, or PAUSED after a failure, with the hosts that have reached it. */
export interface OpenStep {
  index: number;
  hosts: Readonly<Record<string, HostInStep>>;
}

/**
 * `barrier`: a step begins when every host of the previous one has a result. `free`: each host advances independently.
 */
type StepStrategy = 'barrier' | 'free';

/** Step properties that control the order of the run. Does not contain what the step does on a host. */
export interface StepPolicy {
  gate: boolean;
  /** The gate marks missing work: the plan is incomplete here. */
  placeholder: boolean;
  confirm: boolean;
  always: boolean;
  runOnce: boolean;
  /** Number or share of hosts that run at the same time; null = all. */
  batch: { hosts: number } | { percent: number } | null;
  /**
   * Share of the step's hosts that may fail, in percent; null = the plan's limit applies, over all hosts of the run.
   */
  maxFailPercent: number | null;
  onFailure: 'stop' | 'continue';
  /** The step continues after failures, whatever the plan says: the run does not pause. */
  continuesOnFailure: boolean;
  /** Keys of earlier steps. The step runs only on hosts that one of them changed; empty = on all of its hosts. */
  onlyIfChanged: readonly string[];
}

export interface StepState {
  key: string;
  status: StepStatus;
  /** Why the step was skipped, cancelled, or continued despite failures. */
  reason: Reason | null;
  /** Ids of the servers that the step's selector matched when the run was accepted. */
  targets: readonly string[];
  policy: StepPolicy;
  confirmed: boolean;
}

/** The run waits for a person, before or in the step at `index`. `index` is null for approvals. */
export interface RunPauseState {
  reason: PauseReason;
  index: number | null;
  text: string | null;
}

/**
 * Whether the run may continue with its next step; the caller of `decide` looks it up. `reapprove`: the approval is no
 * longer valid. `revoked`: the requester may no longer run there. `held`: the run has not begun and may not begin yet.
 */
export type RunClearance = { kind: 'clear' } | { kind: 'reapprove' | 'revoked' | 'held'; reason: Reason };

/**
 * Whether a run has its guard keys. Before `admitted`, no worker takes it.
 * - `waiting`: no keys yet, not checked now.
 * - `early`: its start time has not come.
 * - `blocked`: other runs hold its keys or precede it in the queue.
 * - `free`: it has just acquired its keys.
 * - `late`: its time in the queue is over.
 * - `refused`: its keys are taken and it does not queue.
 */
export type RunAdmission =
  | { kind: 'admitted' | 'waiting' | 'early' | 'blocked' | 'free' }
  | { kind: 'late' | 'refused'; reason: Reason };

/** Member; `id` is null in requests of earlier versions. */
export interface PauseRequester {
  id: string | null;
  name: string;
}

export interface RunState {
  status: ExecutionStatus;
  reason: Reason | null;
  mode: ExecutionMode;
  strategy: StepStrategy;
  /** Share of the run's hosts that may fail, in percent. Applies to steps without their own limit. */
  maxFailPercent: number;
  steps: readonly StepState[];
  /**
   * The state contains only some hosts of the run, because the others are running. No host of the run has failed in an
   * open step.
   */
  partial?: true;
  /** PENDING = the host may still take part. */
  hosts: Readonly<Record<string, HostStatus>>;
  /** In ascending order; empty between steps. Several steps are open only where hosts advance independently. */
  open: readonly OpenStep[];
  /**
   * In a free plan: index of the last step that each host has reached. That step and earlier ones never start again
   * there.
   */
  reached: Readonly<Record<string, number>>;
  /** Failure status of each host that a person let continue. */
  toleratedFailures: Readonly<Record<string, HostStatus>>;
  /** Step key → hosts that the step changed, for `onlyIfChanged`. */
  changed: Readonly<Record<string, readonly string[]>>;
  /** Step key → hosts that completed the step in the run that this run continues. They do not run it again. */
  done: Readonly<Record<string, readonly string[]>>;
  pause: RunPauseState | null;
  /** Who requested a pause at the next step boundary; null = no pause requested. */
  pauseRequestedBy: PauseRequester | null;
  clearance: RunClearance;
  admission: RunAdmission;
  /** Results that the decision itself set for hosts without a result: lost, or stopped before they began. */
  settled: readonly { index: number; hosts: Readonly<Record<string, HostStatus>> }[];
  /** Hosts whose result in a step the decision removed, to run the step again there; null = none. */
  reopened: { index: number; hosts: readonly string[] } | null;
  /** Hosts whose failure in a step the decision answered, see `HostInStep`; null = none. */
  answered: { index: number; hosts: readonly string[] } | null;
}

export const CLEARED: RunClearance = { kind: 'clear' };
export const ADMITTED: RunAdmission = { kind: 'admitted' };
