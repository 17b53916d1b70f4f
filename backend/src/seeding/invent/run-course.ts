import type { FrozenHost } from '../../executions/record/snapshot.js';
import type { Snapshot } from '../../executions/record/execution-row.js';
import type { HostOutcome } from '../../executions/engine/progress/host-outcome.js';
import type { StatusReason, StepState } from '../../executions/lifecycle/run-state.js';
import type { ExecutionMode, ExecutionStatus, HostStatus, Verdict } from '../../executions/lifecycle/statuses.js';
import type { NewRunEvent } from '../../executions/output/run-events.js';
import type { SeedEnvironment, SeedMember, SeedPlan } from './landscape.js';

/** What a run was started with. */
export interface Start {
  plan: SeedPlan;
  revision: number;
  environment: SeedEnvironment;
  snapshot: Snapshot;
  digest: string;
  /** In the order of the run. */
  hosts: readonly FrozenHost[];
  /** Where each host was reached, by id. */
  addresses: ReadonlyMap<string, string>;
  mode: ExecutionMode;
  note: string | null;
  by: SeedMember;
}

/** What becomes of a step on a host, in ms from the beginning of the course. */
export interface Ending {
  /** The intent to start the command was stored; null: nothing was started. */
  dispatchedMs: number | null;
  endMs: number;
  outcome: HostOutcome;
  verdict: Verdict | null;
  stdout: string;
  stderr: string;
}

export interface CourseResult extends Ending {
  index: number;
  serverId: string;
  startMs: number;
}

export interface CourseStep {
  startMs: number | null;
  endMs: number | null;
}

/** A request for approval and what became of it. */
export interface CourseApproval {
  state: 'approved' | 'rejected' | 'expired' | 'cancelled';
  decidedMs: number;
  decision: { by: SeedMember; verdict: 'approved' | 'rejected'; comment: string | null } | null;
}

/** A change of the run's status that the audit trail tells of. */
export interface CourseFact {
  ms: number;
  /** Null: the engine. */
  by: SeedMember | null;
  action: string;
  before: object | null;
  after: object;
}

/** Everything that is stored of a run but when it began: any number of runs can have gone like this. */
export interface RunCourse {
  start: Start;
  status: ExecutionStatus;
  reason: StatusReason | null;
  /** When a worker took it up; null: none did. */
  startMs: number | null;
  endMs: number;
  steps: readonly (StepState & CourseStep)[];
  hosts: Readonly<Record<string, HostStatus>>;
  results: readonly CourseResult[];
  /** In their order. */
  events: readonly (NewRunEvent & { ms: number })[];
  chunks: readonly CourseChunk[];
  approval: CourseApproval | null;
  facts: readonly CourseFact[];
  /** It can't have gone faster or slower: it was ended by a clock. */
  exact: boolean;
}

export interface CourseChunk {
  index: number;
  serverId: string;
  stream: 'stdout' | 'stderr';
  firstLine: number;
  lineCount: number;
  data: Buffer;
  ms: number;
}
