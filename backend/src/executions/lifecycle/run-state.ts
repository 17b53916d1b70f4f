import type { ExecutionStatus, HostStatus, StepStatus } from './statuses.js';

/** What is known of one host in the step that is being run. */
export interface HostInStep {
  status: HostStatus;
  /** The intent to start the command was stored: it may have begun on the host. */
  dispatched: boolean;
}

export interface StepState {
  key: string;
  status: StepStatus;
  reason: string | null;
  /** Ids of the servers that the step's selector matched when the run was accepted. */
  targets: readonly string[];
}

/** Why a run has its status, for programs (`code`) and people (`text`). */
export interface StatusReason {
  code: string;
  text: string;
}

/** Everything that the next decision on a run depends on. */
export interface RunState {
  status: ExecutionStatus;
  reason: StatusReason | null;
  steps: readonly StepState[];
  /** Each host's standing in the run: PENDING while it may still take part. */
  hosts: Readonly<Record<string, HostStatus>>;
  /** The step that is RUNNING and its hosts; null between steps. */
  current: { index: number; hosts: Readonly<Record<string, HostInStep>> } | null;
  /** Results that a decision itself gave to hosts that have none (lost, or stopped before they began); else null. */
  settled: { index: number; hosts: Readonly<Record<string, HostStatus>> } | null;
}
