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

/** What becomes of a step on a host, in ms from the beginning of the story. */
export interface Ending {
  /** The intent to start the command was stored; null: nothing was started. */
  dispatchedMs: number | null;
  endMs: number;
  outcome: HostOutcome;
  verdict: Verdict | null;
  stdout: string;
  stderr: string;
}

export interface StoryResult extends Ending {
  index: number;
  serverId: string;
  startMs: number;
}

export interface StoryStep {
  startMs: number | null;
  endMs: number | null;
}

/** A request for approval and what became of it. */
export interface StoryApproval {
  state: 'approved' | 'rejected' | 'expired' | 'cancelled';
  decidedMs: number;
  decision: { by: SeedMember; verdict: 'approved' | 'rejected'; comment: string | null } | null;
}

/** A change of the run's status that the audit trail tells of. */
export interface StoryFact {
  ms: number;
  /** Null: the engine. */
  by: SeedMember | null;
  action: string;
  before: object | null;
  after: object;
}

/** Everything that is stored of a run but when it began: any number of runs can have gone like this. */
export interface Story {
  start: Start;
  status: ExecutionStatus;
  reason: StatusReason | null;
  /** When a worker took it up; null: none did. */
  startMs: number | null;
  endMs: number;
  steps: readonly (StepState & StoryStep)[];
  hosts: Readonly<Record<string, HostStatus>>;
  results: readonly StoryResult[];
  /** In their order. */
  events: readonly (NewRunEvent & { ms: number })[];
  chunks: readonly StoryChunk[];
  approval: StoryApproval | null;
  facts: readonly StoryFact[];
  /** It can't have gone faster or slower: it was ended by a clock. */
  exact: boolean;
}

export interface StoryChunk {
  index: number;
  serverId: string;
  stream: 'stdout' | 'stderr';
  firstLine: number;
  lineCount: number;
  data: Buffer;
  ms: number;
}
