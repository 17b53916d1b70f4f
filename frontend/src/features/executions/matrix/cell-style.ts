import {
  IconCircleCheck,
  IconCircleX,
  IconPlayerSkipForward,
  IconPlugConnected,
  IconRefresh,
} from '@tabler/icons-react';
import type { ResolutionKind } from '../../../api/types';
import { statusStyle, type StatusStyle } from '../../../ui/status/statuses';
import { verdictStyle } from '../dry-run/verdict-styles';
import type { Cell } from '../run/run-cells.reducer';

const RESOLUTION_STYLES: Record<ResolutionKind, StatusStyle> = {
  found_succeeded: { tone: 'good', icon: IconCircleCheck, label: 'Verified: succeeded' },
  found_failed: { tone: 'bad', icon: IconCircleX, label: 'Verified: failed' },
  marked_succeeded: { tone: 'good', icon: IconCircleCheck, label: 'Marked succeeded' },
  marked_failed: { tone: 'bad', icon: IconCircleX, label: 'Marked failed' },
  skipped: { tone: 'muted', icon: IconPlayerSkipForward, label: 'Unknown, skipped' },
  run_again: { tone: 'muted', icon: IconRefresh, label: 'Unknown, rerun' },
};

const RECONNECTING: StatusStyle = { tone: 'warn', icon: IconPlugConnected, label: 'Reconnecting' };
const RETRYING: StatusStyle = { tone: 'warn', icon: IconRefresh, label: 'Retrying' };

/** Returns the style of the status, or a more specific one. */
export function cellStyle({ status, reason, attempts, resolution, verdict }: Cell): StatusStyle {
  if (verdict !== null) return verdictStyle(verdict);
  if (status === 'UNKNOWN' && resolution !== null) return RESOLUTION_STYLES[resolution];
  if (status === 'CONNECTING' && reason?.code === 'reconnecting') return RECONNECTING;
  if (status === 'PENDING' && attempts > 0) return RETRYING;
  return statusStyle(status);
}

/** Accessible description of a cell: status, attempts, and whether the step reported a change of the host. */
export function describeCell(cell: Cell, reportsChange: boolean): string {
  const parts = [cellStyle(cell).label];
  if (cell.attempts > 1) parts.push(`attempt ${cell.attempts}`);
  if (reportsChange && cell.changed === true) parts.push('changed the host');
  return parts.join(', ');
}
