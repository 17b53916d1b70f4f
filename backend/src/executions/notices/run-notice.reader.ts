import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { findLatestApproval } from '../approval/approval-rounds.js';
import type { ExecutionMode, ExecutionStatus, PauseReason } from '../lifecycle/statuses.js';
import { findFirstFailure, type StepRow } from '../queries/to-execution-view.js';
import { loadApprovalWithApprovers } from './able-approvers.js';
import type { RunFailure, RunNotice, RunPause } from './run-notice.js';

const MAX_NAMED_HOSTS = 10;
const MAX_COUNTED_HOSTS = 10_000;

interface Row {
  plan_id: string;
  plan_name: string;
  environment_id: string;
  environment_name: string;
  status: ExecutionStatus;
  execution_mode: ExecutionMode;
  status_text: string | null;
  note: string | null;
  started_by_name: string;
  created_at: Date;
  pause_reason: PauseReason | null;
  pause_step: number | null;
  pause_text: string | null;
  pause_since: Date | null;
  pause_expires_at: Date | null;
  gate_message: string | null;
}

/** Data of runs for notifications. The caller must have verified that the recipients can see the environment. */
@Injectable()
export class RunNoticeReader {
  constructor(private readonly environments: EnvironmentReader) {}

  /** @returns null when the run was deleted */
  async loadRunNotice(tx: EntityManager, tenantId: string, executionId: string): Promise<RunNotice | null> {
    const ref = { tenantId, executionId };
    const run = await row(
      tx,
      sql<Row>`select plan_id, plan_name, environment_id, environment_name, status, execution_mode, status_text, note, started_by_name,
          created_at, pause_reason, pause_step, pause_text, pause_since, pause_expires_at,
          case when pause_reason = 'GATE' then snapshot #>> array['plan', 'steps', pause_step::text, 'message'] end as gate_message
        from executions where tenant_id = ${tenantId} and id = ${executionId}`,
    );
    if (!run) return null;
    const steps = await rows(
      tx,
      sql<StepRow>`select step_index, key, name, type, status, reason, reason_code, started_at, finished_at, counts
        from execution_steps where execution_id = ${executionId} order by step_index`,
    );
    const approval = run.pause_reason === 'APPROVAL' ? await findLatestApproval(tx, ref) : undefined;
    return {
      executionId,
      planId: run.plan_id,
      planName: run.plan_name,
      environmentId: run.environment_id,
      environmentName: run.environment_name,
      status: run.status,
      mode: run.execution_mode,
      reason: run.status_text,
      note: run.note,
      startedByName: run.started_by_name,
      createdAt: run.created_at,
      firstFailure: await findRunFailure(tx, executionId, steps),
      pause: toRunPause(run, steps),
      approval:
        approval?.state === 'pending'
          ? await loadApprovalWithApprovers(tx, this.environments, ref, run.environment_id, approval)
          : null,
    };
  }

  async findUnknownHosts(tx: EntityManager, executionId: string): Promise<{ names: string[]; more: number }> {
    const found = await rows(
      tx,
      sql<{ name: string; hosts: number }>`select h.name, count(*) over ()::int as hosts from execution_hosts h
        where h.execution_id = ${executionId} and exists (select from host_results r
          where r.execution_id = ${executionId} and r.server_id = h.server_id and r.status = 'UNKNOWN' and r.resolution is null)
        order by h.ordinal limit ${MAX_NAMED_HOSTS}`,
    );
    return { names: found.map(({ name }) => name), more: Math.max(0, (found[0]?.hosts ?? 0) - found.length) };
  }
}

async function findRunFailure(tx: EntityManager, id: string, steps: readonly StepRow[]): Promise<RunFailure | null> {
  const failure = await findFirstFailure(tx, id, steps);
  if (!failure) return null;
  const { serverName: hostName, stepKey, status, exitCode, reason, lastLines } = failure;
  const failed = await row(
    tx,
    sql<{ hosts: number }>`select count(*)::int as hosts from (select 1 from execution_hosts
      where execution_id = ${id} and status in ('FAILED', 'UNREACHABLE', 'HOST_KEY_UNKNOWN', 'HOST_KEY_CHANGED', 'TIMED_OUT', 'UNKNOWN')
      limit ${MAX_COUNTED_HOSTS}) wrong`,
  );
  const stepName = steps.find(({ key }) => key === stepKey)?.name ?? stepKey;
  return {
    hostName,
    stepName,
    status,
    exitCode,
    message: reason?.text ?? null,
    lastLines,
    hosts: Math.max(1, failed?.hosts ?? 1),
  };
}

function toRunPause(row: Row, steps: readonly StepRow[]): RunPause | null {
  if (row.status !== 'PAUSED' || row.pause_reason === null || !row.pause_since || !row.pause_expires_at) return null;
  return {
    reason: row.pause_reason,
    since: row.pause_since,
    until: row.pause_expires_at,
    stepName: steps.find(({ step_index }) => step_index === row.pause_step)?.name ?? null,
    text: row.pause_text ?? row.gate_message,
  };
}
