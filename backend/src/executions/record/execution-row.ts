import type { Principal } from '../../common/access/principal.js';
import { stopCode, stopText } from '../../common/installation/installation.sql.js';
import type { JumpAddress } from '../../inventory/machines/jump-hops.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import type { FrozenLibrary } from './library.js';
import { type FrozenCalledPlan, type FrozenScope, readRunContent, type RunContent } from './run-content.js';
import type { ExecutionMode, ExecutionStatus, OnOverlap, PauseReason, QueueReason } from '../lifecycle/statuses.js';

/** What a run froze at its start; secret values stand apart, sealed. */
export interface Snapshot {
  plan: RunContent;
  /** What steps of called plans and of items are rendered with; absent: there are none. */
  scopes?: FrozenScope[];
  /** Where the outputs of calls come from, by the key of the call in the run: the key of a step and its output. */
  callOutputs?: Record<string, Record<string, { step: string; output: string }>>;
  /** Absent: no plan is called. */
  calledPlans?: FrozenCalledPlan[];
  /** Values by name, those that the environment exports beside the plan's variables included; a secret's is left out. */
  variables: Record<string, VariableValue>;
  secretNames: string[];
  /** Which version each secret of the environment had, by name; absent in runs from before approvals. */
  secretVersions?: Record<string, string>;
  /** Fingerprints of the SSH keys that the hosts are signed in with, by key id; absent as above. */
  sshKeys?: Record<string, string>;
  /** Scripts and templates that the steps use; absent when they use none, and as above. */
  library?: FrozenLibrary;
  /** What hosts are reached through, by server id; absent when there is none, and as above. */
  jumpServers?: Record<string, JumpAddress>;
  targets: string;
  /** The step that a rerun starts from; absent: the first one. */
  fromStepKey?: string;
  /** What a rerun takes over from the run that it continues; absent: nothing. */
  inherited?: InheritedPart;
  /** Names of the variables that the start itself gave; absent as above. */
  given?: string[];
}

/** What a run takes over from the one that it continues; the results themselves are rows of `inherited_results`. */
interface InheritedPart {
  /** SHA-256 of the rows. */
  sha256: string;
  /** How many rows there are. */
  results: number;
  /** Keys of the steps that no host comes to, because all of theirs have done them. */
  done: string[];
}

/** A stored snapshot in today's form: older ones lack what steps have learnt since. */
export const readSnapshot = (stored: Snapshot): Snapshot => ({ ...stored, plan: readRunContent(stored.plan) });

/** Ids of the plans whose steps a run has, its own first. */
export const plansOf = (run: { plan_id: string; snapshot: Pick<Snapshot, 'calledPlans'> }): string[] => [
  run.plan_id,
  ...(run.snapshot.calledPlans ?? []).map(({ planId }) => planId),
];

/** A row of `executions` as the hand-written queries read it (`EXECUTION_COLUMNS`). */
export interface ExecutionRow {
  id: string;
  tenant_id: string;
  plan_id: string;
  plan_revision: number;
  plan_name: string;
  environment_id: string;
  environment_name: string;
  status: ExecutionStatus;
  execution_mode: ExecutionMode;
  status_code: string | null;
  status_text: string | null;
  note: string | null;
  labels: Record<string, string>;
  freeze_override: string | null;
  window_override: string | null;
  started_by: string;
  started_by_name: string;
  started_via: Principal['via'];
  schedule_id: string | null;
  schedule_name: string | null;
  token_prefix: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  deadline_at: Date | null;
  parent_id: string | null;
  pause_reason: PauseReason | null;
  pause_step: number | null;
  pause_text: string | null;
  pause_since: Date | null;
  pause_expires_at: Date | null;
  pause_requested_by: string | null;
  host_count: number;
  version: string;
  event_seq: string;
  pinned_at: Date | null;
  pinned_by_name: string | null;
  pin_note: string | null;
  legal_hold: boolean;
  /** Who requested to lift the hold, and until when another admin can; null: no request is valid. */
  lift_by: string | null;
  lift_by_name: string | null;
  lift_until: Date | null;
  on_overlap: OnOverlap;
  start_at: Date | null;
  /** Null: it waits for no time, and for no other run. */
  queue: QueueJson | null;
}

/** What a run waits for in the queue, as JSON tells it. */
export interface QueueJson {
  reason: QueueReason;
  since: string;
  expires_at: string | null;
  /** How many runs of its environment came to the line before it, and it; null: it waits for its time. */
  position: number | null;
}

/** Position and reason of a run that waits, of those that have not begun. */
const QUEUE = `case when e.status = 'PENDING' then (
    select json_build_object('reason', q.reason, 'since', q.since, 'expires_at', q.expires_at, 'position',
        case when q.arrival is not null then (select count(*) from guard_queue before
          where before.tenant_id = q.tenant_id and before.environment_id = q.environment_id and before.arrival <= q.arrival) end)
      from guard_queue q where q.tenant_id = e.tenant_id and q.execution_id = e.id and q.reason is not null) end`;

/** What keeps a run in this status from going on, by the state of the installation. */
const stopped = (value: typeof stopCode): string => `case
    when e.status = 'PENDING' then ${value('draining', 'held')}
    when e.status in ('RUNNING', 'CANCELLING') then ${value('held')} end`;

const STATUS_REASON = `coalesce(e.status_code, ${stopped(stopCode)}) as status_code,
  coalesce(e.status_text, ${stopped(stopText)}) as status_text`;

/** How long a request to lift a legal hold can be confirmed, as SQL. */
export const LIFT_TIME = `interval '7 days'`;

export const EXECUTION_COLUMNS = `e.id, e.tenant_id, e.plan_id, e.plan_revision, e.plan_name, e.environment_id, e.environment_name,
  e.status, e.execution_mode, ${STATUS_REASON}, e.note, e.labels, e.freeze_override, e.window_override, e.schedule_id, e.schedule_name, e.started_by, e.started_by_name, e.started_via,
  e.token_prefix, e.created_at, e.started_at, e.finished_at, e.deadline_at, e.host_count, e.version, e.event_seq, e.parent_id, e.pause_reason, e.pause_step, e.pause_text, e.pause_since, e.pause_expires_at,
  e.pause_requested_by, e.pinned_at, e.pinned_by_name, e.pin_note, e.legal_hold, e.lift_by, e.lift_by_name,
  case when e.lift_at > now() - ${LIFT_TIME} then e.lift_at + ${LIFT_TIME} end as lift_until, e.on_overlap, e.start_at, ${QUEUE} as queue`;
