import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { toUserReference } from '../../common/http/user-reference.view.js';
import type { HostCheckView } from '../contract/unknown-host.view.js';

/** Answers of a host about the result of its command, as stored. */
export const CHECK_FINDINGS = {
  succeeded: 'command_succeeded',
  failed: 'command_failed',
  still_running: 'still_running',
  never_started: 'never_started',
  rebooted: 'host_rebooted',
  journal_gone: 'journal_gone',
  not_reached: 'unreachable',
  check_failed: 'internal_error',
} as const satisfies Record<string, ReasonCode>;
export type CheckFinding = keyof typeof CHECK_FINDINGS;

export interface HostCheckRow {
  check_asked_at: Date | null;
  check_asked_by: string | null;
  check_asked_by_id: string | null;
  checked_at: Date | null;
  check_finding: CheckFinding | null;
  check_message: string | null;
}

export function toHostCheckView(row: HostCheckRow): HostCheckView | null {
  const { check_asked_at: askedAt, checked_at: at, check_finding, check_message } = row;
  if (askedAt === null) return null;
  return {
    askedAt: askedAt.toISOString(),
    askedBy: toUserReference(row.check_asked_by_id, row.check_asked_by),
    pending: at === null || at < askedAt,
    at: at?.toISOString() ?? null,
    reason: check_finding && { code: CHECK_FINDINGS[check_finding], text: check_message ?? '' },
  };
}
