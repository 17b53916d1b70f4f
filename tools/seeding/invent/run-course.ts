import type { AuditActionName } from '../../../backend/src/audit/audit-actions.js';
import type { FrozenHost } from '../../../backend/src/executions/record/snapshot.js';
import type { Snapshot } from '../../../backend/src/executions/record/execution-row.js';
import type { HostOutcome } from '../../../backend/src/executions/engine/progress/host-outcome.js';
import type { StepState } from '../../../backend/src/executions/lifecycle/run-state.js';
import type { Reason } from '../../../backend/src/common/http/reason.view.js';
import type {
  ExecutionMode,
  ExecutionStatus,
  HostStatus,
  Verdict,
} from '../../../backend/src/executions/lifecycle/statuses.js';
import type { NewRunEvent } from '../../../backend/src/executions/output/run-events.js';
import type { SeedEnvironment, SeedMember, SeedPlan } from './landscape.js';

export interface Start {
  plan: SeedPlan;
  revision: number;
  environment: SeedEnvironment;
  snapshot: Snapshot;
  digest: string;
  /** In the order of the run. */
  hosts: readonly FrozenHost[];
  addresses: ReadonlyMap<string, string>;
  mode: ExecutionMode;
  note: string | null;
  by: SeedMember;
}

/** Result of a step on a host. Times are in ms from the start of the run. */
export interface Ending {
  /** Time at which the dispatch was stored; null: no command was started. */
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

export interface CourseApproval {
  state: 'approved' | 'rejected' | 'expired' | 'cancelled';
  decidedMs: number;
  decision: { by: SeedMember; verdict: 'approved' | 'rejected'; comment: string | null } | null;
}

export interface CourseFact {
  ms: number;
  /** Null: the engine. */
  by: SeedMember | null;
  action: AuditActionName;
  before: object | null;
  after: object;
}

/** History of a run without its start time, so that several runs can share it. */
export interface RunCourse {
  start: Start;
  status: ExecutionStatus;
  reason: Reason | null;
  /** Time at which a worker took the run; null: no worker did. */
  startMs: number | null;
  endMs: number;
  steps: readonly (StepState & CourseStep)[];
  hosts: Readonly<Record<string, HostStatus>>;
  results: readonly CourseResult[];
  /** In chronological order. */
  events: readonly (NewRunEvent & { ms: number })[];
  chunks: readonly CourseChunk[];
  approval: CourseApproval | null;
  facts: readonly CourseFact[];
  /** The duration must not be scaled, because a time limit ended the run. */
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
