import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { latestApproval } from '../approval/approval-rows.js';
import type { ExecutionMode, ExecutionStatus, PauseReason } from '../lifecycle/statuses.js';
import { firstFailureOf } from '../queries/run-summary.js';
import type { StepRow } from '../queries/to-execution-view.js';
import { approvalWithApprovers } from './able-approvers.js';
import type { RunFailure, RunNotice, RunPause } from './run-notice.js';

const NAMED = 10;
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
  async of(tx: EntityManager, tenantId: string, executionId: string): Promise<RunNotice | null> {
    const ref = { tenantId, executionId };
    const [row] = await tx.query<Row[]>(
      `select plan_id, plan_name, environment_id, environment_name, status, execution_mode, status_text, note, started_by_name,
          created_at, pause_reason, pause_step, pause_text, pause_since, pause_expires_at,
          case when pause_reason = 'GATE' then snapshot #>> array['plan', 'steps', pause_step::text, 'message'] end as gate_message
        from executions where tenant_id = $1 and id = $2`,
      [tenantId, executionId],
    );
    if (!row) return null;
    const steps = await tx.query<StepRow[]>(
      `select step_index, key, name, type, status, reason, reason_code, started_at, finished_at, counts
        from execution_steps where execution_id = $1 order by step_index`,
      [executionId],
    );
    const approval = row.pause_reason === 'APPROVAL' ? await latestApproval(tx, ref) : undefined;
    return {
      executionId,
      planId: row.plan_id,
      planName: row.plan_name,
      environmentId: row.environment_id,
      environmentName: row.environment_name,
      status: row.status,
      mode: row.execution_mode,
      reason: row.status_text,
      note: row.note,
      startedByName: row.started_by_name,
      createdAt: row.created_at,
      firstFailure: await failureOf(tx, executionId, steps),
      pause: pauseOf(row, steps),
      approval:
        approval?.state === 'pending'
          ? await approvalWithApprovers(tx, this.environments, ref, row.environment_id, approval)
          : null,
    };
  }

  async unknownHosts(tx: EntityManager, executionId: string): Promise<{ names: string[]; more: number }> {
    const rows = await tx.query<{ name: string; hosts: number }[]>(
      `select h.name, count(*) over ()::int as hosts from execution_hosts h
        where h.execution_id = $1 and exists (select from host_results r
          where r.execution_id = $1 and r.server_id = h.server_id and r.status = 'UNKNOWN' and r.resolution is null)
        order by h.ordinal limit ${NAMED}`,
      [executionId],
    );
    return { names: rows.map(({ name }) => name), more: Math.max(0, (rows[0]?.hosts ?? 0) - rows.length) };
  }
}

async function failureOf(tx: EntityManager, id: string, steps: readonly StepRow[]): Promise<RunFailure | null> {
  const failure = await firstFailureOf(tx, id, steps);
  if (!failure) return null;
  const { serverName: hostName, stepKey, status, exitCode, message, lastLines } = failure;
  const [row] = await tx.query<{ hosts: number }[]>(
    `select count(*)::int as hosts from (select 1 from execution_hosts
      where execution_id = $1 and status in ('FAILED', 'UNREACHABLE', 'HOST_KEY_UNKNOWN', 'HOST_KEY_MISMATCH', 'TIMED_OUT', 'UNKNOWN')
      limit ${MAX_COUNTED_HOSTS}) wrong`,
    [id],
  );
  const stepName = steps.find(({ key }) => key === stepKey)?.name ?? stepKey;
  return { hostName, stepName, status, exitCode, message, lastLines, hosts: Math.max(1, row?.hosts ?? 1) };
}

function pauseOf(row: Row, steps: readonly StepRow[]): RunPause | null {
  if (row.status !== 'PAUSED' || row.pause_reason === null || !row.pause_since || !row.pause_expires_at) return null;
  return {
    reason: row.pause_reason,
    since: row.pause_since,
    until: row.pause_expires_at,
    stepName: steps.find(({ step_index }) => step_index === row.pause_step)?.name ?? null,
    text: row.pause_text ?? row.gate_message,
  };
}
