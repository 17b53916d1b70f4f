import type { HostCheckView } from '../contract/unknown-host.view.js';

export interface HostCheckRow {
  check_asked_at: Date | null;
  check_asked_by: string | null;
  checked_at: Date | null;
  check_finding: HostCheckView['finding'];
  check_message: string | null;
}

export function toHostCheckView(row: HostCheckRow): HostCheckView | null {
  const { check_asked_at: askedAt, check_asked_by: askedBy, checked_at: at, check_finding, check_message } = row;
  if (askedAt === null) return null;
  return {
    askedAt: askedAt.toISOString(),
    askedBy,
    pending: at === null || at < askedAt,
    at: at?.toISOString() ?? null,
    finding: check_finding,
    message: check_message,
  };
}
