import type { ReasonCode } from '../../../common/errors/reason-codes.js';
import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../common/database/sql.js';
import type { HostStatus } from '../../lifecycle/statuses.js';
import { NO_OUTPUT } from '../../output/line-assembler.js';
import { loadStoredOutput } from '../../output/stored-output.js';
import type { RunRef } from '../../record/run-head.js';
import type { HostOutcome } from '../progress/host-outcome.js';
import type { RestoredOutput } from '../progress/host-output.js';

export interface StoredHostState {
  serverId: string;
  status: HostStatus;
  dispatchId: string | null;
  journaled: boolean | null;
  /** Time since the command may have started, in ms. */
  runsForMs: number;
  /**
   * Storage time of the intent to start, in terms of `performance.now` of this process. It may be too early, but never
   * too late; null: unknown.
   */
  intentAt: number | null;
  attempts: number;
  attemptsBefore: number;
  /** Outcome of the latest attempt and time until the next attempt, in ms; null: no retry is due. */
  retry: { outcome: HostOutcome; inMs: number } | null;
  output: RestoredOutput;
}

interface Row {
  server_id: string;
  status: HostStatus;
  dispatch_id: string | null;
  journaled: boolean | null;
  runs_for_ms: number | null;
  intent_for_ms: number | null;
  attempts: number;
  attempts_before: number;
  stdout_before: string;
  stderr_before: string;
  retry_in_ms: number | null;
  attempt_status: HostStatus | null;
  exit_code: number | null;
  signal: string | null;
  code: ReasonCode | null;
  message: string | null;
}

export async function loadStoredHostStates(
  tx: EntityManager,
  ref: RunRef,
  stepIndex: number,
  serverIds: readonly string[],
): Promise<Map<string, StoredHostState>> {
  const queriedAt = performance.now();
  const found = await rows(
    tx,
    sql<Row>`select r.server_id, r.status, r.dispatch_id, r.journaled, r.attempts, r.attempts_before, r.stdout_before, r.stderr_before,
        r.attempt_status, r.exit_code, r.signal, r.code, r.message,
        (extract(epoch from r.next_attempt_at - clock_timestamp()) * 1000)::float8 as retry_in_ms,
        (extract(epoch from now() - coalesce(r.command_started_at, d.at)) * 1000)::float8 as runs_for_ms,
        (extract(epoch from clock_timestamp() - d.at) * 1000)::float8 as intent_for_ms
      from host_results r left join dispatches d on d.dispatch_id = r.dispatch_id
      where r.execution_id = ${ref.executionId} and r.step_index = ${stepIndex} and r.server_id = any (${serverIds})`,
  );
  const begun = found.filter(({ attempts }) => attempts > 0).map(({ server_id }) => server_id);
  const stored = await loadStoredOutput(tx, ref, stepIndex, begun);
  return new Map(
    found.map((row): [string, StoredHostState] => [
      row.server_id,
      {
        serverId: row.server_id,
        status: row.status,
        dispatchId: row.dispatch_id,
        journaled: row.journaled,
        runsForMs: Math.max(0, row.runs_for_ms ?? 0),
        intentAt: row.intent_for_ms === null ? null : queriedAt - row.intent_for_ms,
        attempts: row.attempts,
        attemptsBefore: row.attempts_before,
        retry: toStoredRetry(row),
        output: {
          stored: stored.get(row.server_id) ?? NO_OUTPUT,
          before: { stdout: Number(row.stdout_before), stderr: Number(row.stderr_before) },
        },
      },
    ]),
  );
}

function toStoredRetry(row: Row): StoredHostState['retry'] {
  const { attempt_status: status, retry_in_ms: ms, exit_code: exitCode, signal, code, message } = row;
  if (status === null || ms === null) return null;
  return { outcome: { status, exitCode, signal, code, message }, inMs: Math.max(0, ms) };
}
