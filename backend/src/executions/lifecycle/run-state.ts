import type { ExecutionMode, ExecutionStatus, HostStatus, PauseReason, StepStatus } from './statuses.js';

/** What is known of one host in a step that is being run. */
export interface HostInStep {
  status: HostStatus;
  /** The intent to start the command was stored: it may have begun on the host. */
  dispatched: boolean;
  /** A person has answered that it failed here, and is not asked again. Only between steps of a free plan. */
  answered?: true;
}

/** A step that is RUNNING, or PAUSED after a failure, and the hosts that have come to it. */
export interface OpenStep {
  index: number;
  hosts: Readonly<Record<string, HostInStep>>;
}

/** `barrier`: a step begins when every host of the one before has a result. `free`: each host goes on by itself. */
type Strategy = 'barrier' | 'free';

/** What a step asks of the course of the run; how it acts on a host is not known here. */
export interface StepPolicy {
  gate: boolean;
  /** A gate that stands for work which the plan lacks. */
  placeholder: boolean;
  confirm: boolean;
  /** Runs even after a failure, also on hosts that failed. */
  always: boolean;
  /** On the first of its hosts only. */
  runOnce: boolean;
  /** Hosts at a time; null: all of them. */
  batch: { hosts: number } | { percent: number } | null;
  /** Percent of its hosts that may fail; null: the plan's, over the run's hosts. */
  maxFailPercent: number | null;
  onFailure: 'stop' | 'continue';
  /** The step itself says so, whatever the plan does: nobody is asked when it fails. */
  goesOn: boolean;
  /** Keys of steps: it runs on hosts that one of them changed. Empty: on all of its hosts. */
  onlyIfChanged: readonly string[];
}

export interface StepState {
  key: string;
  status: StepStatus;
  /** Why it was skipped or cancelled, or went on in spite of failures. */
  reason: StatusReason | null;
  /** Ids of the servers that the step's selector matched when the run was accepted. */
  targets: readonly string[];
  policy: StepPolicy;
  /** A person let it begin. */
  confirmed: boolean;
}

/** Why a run or a step has its status, for programs (`code`) and people (`text`). */
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
 * Whether the run may go on to its next step, looked up by whoever asks for a decision:
 * `reapprove`: what was approved is no longer so; `revoked`: who started it may no longer run there; `held`: it has not
 * begun, and may not yet.
 */
export type Clearance = { kind: 'clear' } | { kind: 'reapprove' | 'revoked' | 'held'; reason: StatusReason };

/**
 * Whether a run has taken its keys of the guard: no worker takes it up before. `waiting`: it has not, and nobody has
 * looked whether it may. The others are what was found by who looked: `early`, its time has not come; `blocked`, others
 * hold its keys, or wait for them longer; `free`, it has just taken them; `late`, it has waited for as long as it may;
 * `refused`, its keys are not free, and it does not wait for them.
 */
export type Admission =
  | { kind: 'admitted' | 'waiting' | 'early' | 'blocked' | 'free' }
  | { kind: 'late' | 'refused'; reason: StatusReason };

/** Everything that the next decision on a run depends on. */
export interface RunState {
  status: ExecutionStatus;
  reason: StatusReason | null;
  mode: ExecutionMode;
  strategy: Strategy;
  /** Percent of the run's hosts that may fail, for steps that have no limit of their own. */
  maxFailPercent: number;
  steps: readonly StepState[];
  /** Only some hosts of the run are told of, none of its hosts failed in an open step, and others are under way there. */
  partial?: true;
  /** Each host's standing in the run: PENDING while it may still take part. */
  hosts: Readonly<Record<string, HostStatus>>;
  /** Ascending; none between steps. Several only where hosts go on by themselves. */
  open: readonly OpenStep[];
  /** The last step that each host has come to, where the plan is free: none is begun again, nor one before it. */
  reached: Readonly<Record<string, number>>;
  /** What hosts came to in steps that failed there, and in spite of which a person had them go on. */
  toleratedFailures: Readonly<Record<string, HostStatus>>;
  /** Hosts that a step changed, by the step's key: for handlers. */
  changed: Readonly<Record<string, readonly string[]>>;
  /** Hosts that did a step in the run that this one continues, by the step's key: they do not run it again. */
  done: Readonly<Record<string, readonly string[]>>;
  pause: Pause | null;
  /** Who asked for a pause at the next step boundary. */
  pauseRequestedBy: string | null;
  clearance: Clearance;
  admission: Admission;
  /** Results that a decision itself gave to hosts that have none (lost, or stopped before they began). */
  settled: readonly { index: number; hosts: Readonly<Record<string, HostStatus>> }[];
  /** Hosts whose result of a step a decision took back, to be run again; else null. */
  reopened: { index: number; hosts: readonly string[] } | null;
  /** Hosts whose failure in a step a decision answered, see `HostInStep`; else null. */
  answered: { index: number; hosts: readonly string[] } | null;
}

export const CLEAR: Clearance = { kind: 'clear' };
export const ADMITTED: Admission = { kind: 'admitted' };
