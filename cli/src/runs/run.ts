import type { Schemas } from '../client/api.ts';
import { EXIT, type ExitCode } from '../terminal/exit-codes.ts';

export type Run = Schemas['ExecutionView'];
export type RunSummary = Schemas['ExecutionSummaryView'];
export type RunStatus = Run['status'];

export const RUN_ARGUMENT = 'id of the run, its last 8 characters, or address of its page';

const EMPTY_SUMMARY: Run['summary'] = {
  ...{ hostCounts: {}, stepCounts: {}, steps: [], durationMs: null, firstFailure: null },
  ...{ verdicts: null, changingHosts: null, blockedHosts: null },
};

/** Fields that runs of an older service may lack. */
export const getSummary = (run: Run): Run['summary'] => ({ ...EMPTY_SUMMARY, ...run.summary });
export const getWarnings = (run: Run): Run['warnings'] => (run as Partial<Run>).warnings ?? [];
export const getUnknownHosts = (run: Run): Run['unknownHosts'] => (run as Partial<Run>).unknownHosts ?? [];

export function toExitCode(run: Run): ExitCode {
  if (!run.finished) return run.status === 'PAUSED' ? EXIT.waits : EXIT.unknown;
  if (run.status === 'SUCCEEDED') return EXIT.succeeded;
  if (run.status === 'INTERRUPTED' || getUnknownHosts(run).length > 0) return EXIT.unknown;
  if (run.status === 'PARTIALLY_SUCCEEDED') return EXIT.partial;
  if (run.status === 'REJECTED' || run.status === 'EXPIRED') return EXIT.rejected;
  if (run.status in STATUS_WORDS) return EXIT.failed;
  // A newer service can have further statuses.
  return run.successful ? EXIT.succeeded : EXIT.unknown;
}

export const isPaused = ({ status }: Pick<Run, 'status'>): boolean => status === 'PAUSED';

const STATUS_WORDS: Record<RunStatus, string> = {
  PENDING: 'is waiting to start',
  RUNNING: 'is running',
  PAUSED: 'waits for a person',
  CANCELLING: 'is being cancelled',
  SUCCEEDED: 'succeeded',
  PARTIALLY_SUCCEEDED: 'partially succeeded',
  FAILED: 'failed',
  CANCELLED: 'was cancelled',
  REJECTED: 'was rejected',
  EXPIRED: 'expired: no decision in time',
  TIMED_OUT: 'timed out',
  INTERRUPTED: 'lost hosts, whose results are unknown',
};

/** Completes a sentence that begins with "The run". Returns an unknown status unchanged. */
export const toStatusText = (status: RunStatus): string => STATUS_WORDS[status] ?? status;
