import { type Reason, toReason } from '../../common/http/reason.view.js';
import type { Principal } from '../../common/access/principal.js';
import { sql, type Sql } from '../../common/database/sql.js';
import { stopCodeSql, stopTextSql } from '../../common/installation/installation.sql.js';
import { workerWaitCodeSql, workerWaitTextSql } from '../../common/queue/worker-wait.sql.js';
import type { JumpServerLogin } from '../../inventory/fields/server-connection.js';
import type { VariableSource } from '../../plans/variables/resolve-variables.js';
import type { VariableValue } from '../../variables/variable-value.js';
import {
  type FrozenLibrary,
  type FrozenCalledPlan,
  type FrozenScope,
  readRunContent,
  type RunContent,
} from './run-content.js';
import type { ExecutionMode, ExecutionStatus, OverlapAction, PauseReason, QueueReason } from '../lifecycle/statuses.js';

/** Content of a run, frozen at its start. Secret values are sealed and stored separately. */
export interface Snapshot {
  plan: RunContent;
  /** Values for the steps of called plans and list items; absent: none. */
  scopes?: FrozenScope[];
  /** Source of each call output: for the key of a call in the run, the step and its output. */
  callOutputs?: Record<string, Record<string, { step: string; output: string }>>;
  /** Absent: no plan is called. */
  calledPlans?: FrozenCalledPlan[];
  /** Values by name, including exported variables of the environment, but no secrets. */
  variables: Record<string, VariableValue>;
  secretNames: string[];
  /** Version of each secret of the environment, by name. Absent in runs from before approvals existed. */
  secretVersions?: Record<string, string>;
  /** Fingerprints of the hosts' SSH keys, by key ID. Absent in runs from before approvals existed. */
  sshKeys?: Record<string, string>;
  library?: FrozenLibrary;
  /** Jump servers by server ID; absent: none, or an old run. */
  jumpServers?: Record<string, JumpServerLogin>;
  targets: string;
  /** Key of a rerun's first step; absent: the plan's first step. */
  fromStepKey?: string;
  /** Results that a rerun inherits from the run that it continues; absent: none. */
  inherited?: InheritedSnapshotPart;
  /** Names of the variables in the start request; absent in old runs. */
  given?: string[];
  /** Source of each value of `variables` and of each secret, by name; absent in old runs. */
  valueSources?: Record<string, VariableSource>;
}

interface InheritedSnapshotPart {
  sha256: string;
  results: number;
  /** Keys of steps that no host runs, because all their hosts completed them earlier. */
  done: string[];
}

/** Converts a stored snapshot to the current format. Steps in old snapshots lack newer fields. */
export const readSnapshot = (stored: Snapshot): Snapshot => ({ ...stored, plan: readRunContent(stored.plan) });

/** Returns the IDs of the plans whose steps the run contains. The run's own plan comes first. */
export const listPlanIds = (run: { plan_id: string; snapshot: Pick<Snapshot, 'calledPlans'> }): string[] => [
  run.plan_id,
  ...(run.snapshot.calledPlans ?? []).map(({ planId }) => planId),
];

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
  status_code: Reason['code'] | null;
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
  updated_at: Date;
  deadline_at: Date | null;
  parent_id: string | null;
  pause_reason: PauseReason | null;
  pause_step: number | null;
  pause_text: string | null;
  pause_since: Date | null;
  pause_expires_at: Date | null;
  pause_requested_by: string | null;
  pause_requested_by_id: string | null;
  host_count: number;
  version: string;
  event_seq: string;
  pinned_at: Date | null;
  pinned_by: string | null;
  pinned_by_name: string | null;
  pin_note: string | null;
  legal_hold: boolean;
  /** Member who requested to lift the legal hold; null: no valid request. */
  lift_by: string | null;
  lift_by_name: string | null;
  lift_until: Date | null;
  on_overlap: OverlapAction;
  start_at: Date | null;
  /** Null: the run waits neither for a time nor for another run. */
  queue: QueueJson | null;
}

export interface QueueJson {
  reason: QueueReason;
  since: string;
  expires_at: string | null;
  /** Position among the queued runs of the environment, from 1; null: the run waits for its start time. */
  position: number | null;
}

const QUEUE_COLUMN_SQL = sql`case when e.status = 'PENDING' then (
    select json_build_object('reason', q.reason, 'since', q.since, 'expires_at', q.expires_at, 'position',
        case when q.arrival is not null then (select count(*) from guard_queue before
          where before.tenant_id = q.tenant_id and before.environment_id = q.environment_id and before.arrival <= q.arrival) end)
      from guard_queue q where q.tenant_id = e.tenant_id and q.execution_id = e.id and q.reason is not null) end`;

/** SQL: why the state of the installation prevents a run with this status from continuing. */
const stopReasonSql = (value: typeof stopCodeSql): Sql => sql`case
    when e.status = 'PENDING' then ${value(sql`'draining', 'held'`)}
    when e.status in ('RUNNING', 'CANCELLING') then ${value(sql`'held'`)} end`;

const RUN = sql.raw('e');
/** A run that waits for its time, a freeze, an approval or another run does not wait for a slot. */
const IS_NOT_QUEUED_SQL = sql`not exists (select 1 from guard_queue q
    where q.tenant_id = e.tenant_id and q.execution_id = e.id)`;

const STATUS_REASON_COLUMNS_SQL = sql`coalesce(e.status_code, ${stopReasonSql(stopCodeSql)}, ${workerWaitCodeSql(RUN, IS_NOT_QUEUED_SQL)}) as status_code,
  coalesce(e.status_text, ${stopReasonSql(stopTextSql)}, ${workerWaitTextSql(RUN, IS_NOT_QUEUED_SQL)}) as status_text`;

/** SQL interval in which another admin can confirm a request to lift a legal hold. */
export const LIFT_INTERVAL_SQL = sql`interval '7 days'`;

export const EXECUTION_COLUMNS_SQL = sql`e.id, e.tenant_id, e.plan_id, e.plan_revision, e.plan_name, e.environment_id, e.environment_name,
  e.status, e.execution_mode, ${STATUS_REASON_COLUMNS_SQL}, e.note, e.labels, e.freeze_override, e.window_override, e.schedule_id, e.schedule_name, e.started_by, e.started_by_name, e.started_via,
  e.token_prefix, e.created_at, e.started_at, e.finished_at, e.updated_at, e.deadline_at, e.host_count, e.version, e.event_seq, e.parent_id, e.pause_reason, e.pause_step, e.pause_text, e.pause_since, e.pause_expires_at,
  e.pause_requested_by, e.pause_requested_by_id, e.pinned_at, e.pinned_by, e.pinned_by_name, e.pin_note, e.legal_hold, e.lift_by, e.lift_by_name,
  case when e.lift_at > now() - ${LIFT_INTERVAL_SQL} then e.lift_at + ${LIFT_INTERVAL_SQL} end as lift_until, e.on_overlap, e.start_at, ${QUEUE_COLUMN_SQL} as queue`;

/** Returns the reason of a step's status. */
export const toStepReason = (row: { reason: string | null; reason_code: Reason['code'] | null }): Reason | null =>
  toReason(row.reason_code, row.reason);
