import type { HostOutcome } from './host-outcome.js';
import type { OutputTotals, StreamBytes } from './host-output.js';
import { type HostChange, getStatusAfter } from './step-progress.js';

const EMPTY_OUTCOME = {
  retry_ms: null,
  attempt_status: null,
  exit_code: null,
  signal: null,
  code: null,
  message: null,
};

/**
 * Merges the changes of a flush into one row per host. Storing the row has the same result as storing the changes one
 * after the other. Columns that a row omits stay unchanged.
 */
export function mergeChangesByHost(changes: readonly HostChange[], epoch: number): object[] {
  const rows = new Map<string, Record<string, unknown>>();
  for (const change of changes) {
    const row = rows.get(change.serverId) ?? { server_id: change.serverId };
    rows.set(change.serverId, row);
    Object.assign(row, { status: getStatusAfter(change) ?? row.status }, EMPTY_OUTCOME, toChangeColumns(change, epoch));
  }
  return [...rows.values()];
}

function toChangeColumns(change: HostChange, epoch: number): object {
  switch (change.kind) {
    case 'connecting':
      return { begins: true, ...change.why };
    case 'dispatch':
      return {
        dispatch_id: change.dispatchId,
        undone: false,
        epoch,
        attempts: change.attempt,
        journaled: change.journaled ? null : false,
        command_begins: false,
        ...toBeforeColumns(change.before),
      };
    case 'started':
      return {
        journaled: change.journaled,
        ...(change.first ? { command_begins: true } : {}),
        ...(change.before ? toBeforeColumns(change.before) : {}),
      };
    case 'withdrawn':
      return { undone: true, dispatch_id: null, command_begins: false, attempts: change.attempt };
    case 'retrying':
      return {
        undone: true,
        dispatch_id: null,
        command_begins: false,
        attempts: change.attempt,
        retry_ms: change.delayMs,
        attempt_status: change.outcome.status,
        exit_code: change.outcome.exitCode,
        signal: change.outcome.signal,
        code: change.outcome.code,
        message: change.outcome.message,
      };
    case 'finished':
      return {
        ends: true,
        verdict: change.verdict ?? null,
        diff: change.diff ?? null,
        ...toOutcomeColumns(change.outcome),
        ...toTotalsJson(change.totals),
      };
  }
}

const toBeforeColumns = ({ stdout, stderr }: StreamBytes) => ({ stdout_before: stdout, stderr_before: stderr });

const toOutcomeColumns = ({ exitCode, signal, code, message, changed, outputs }: HostOutcome) => ({
  exit_code: exitCode,
  signal,
  code,
  message,
  changed: changed ?? null,
  outputs: outputs ?? null,
});

const toTotalsJson = (totals: OutputTotals | null) =>
  totals && {
    lines: totals.lines,
    bytes: totals.bytes,
    dropped_lines: totals.droppedLines,
    dropped_bytes: totals.droppedBytes,
  };
