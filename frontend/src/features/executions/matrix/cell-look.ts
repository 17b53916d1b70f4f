import {
  IconCircleCheck,
  IconCircleX,
  IconPlayerSkipForward,
  IconPlugConnected,
  IconRefresh,
} from '@tabler/icons-react';
import type { ResolutionKind } from '../../../api/types';
import { lookOf, type StatusLook } from '../../../ui/status/statuses';
import { lookOfVerdict } from '../dry-run/verdict-words';
import type { Cell } from '../run/run-cells.reducer';

const RESOLVED: Record<ResolutionKind, StatusLook> = {
  found_succeeded: { tone: 'good', icon: IconCircleCheck, word: 'Found succeeded' },
  found_failed: { tone: 'bad', icon: IconCircleX, word: 'Found failed' },
  marked_succeeded: { tone: 'good', icon: IconCircleCheck, word: 'Marked succeeded' },
  marked_failed: { tone: 'bad', icon: IconCircleX, word: 'Marked failed' },
  skipped: { tone: 'muted', icon: IconPlayerSkipForward, word: 'Unknown, skipped' },
  run_again: { tone: 'muted', icon: IconRefresh, word: 'Unknown, run again' },
};

const RECONNECTING: StatusLook = { tone: 'warn', icon: IconPlugConnected, word: 'Reconnecting' };
const RETRYING: StatusLook = { tone: 'warn', icon: IconRefresh, word: 'Retrying' };

/** How a cell looks: its status, or what is to be told instead of it. */
export function lookOfCell({ status, code, attempts, resolution, verdict }: Cell): StatusLook {
  if (verdict !== null) return lookOfVerdict(verdict);
  if (status === 'UNKNOWN' && resolution !== null) return RESOLVED[resolution];
  if (status === 'CONNECTING' && code === 'reconnecting') return RECONNECTING;
  if (status === 'PENDING' && attempts > 0) return RETRYING;
  return lookOf(status);
}

/** A cell in words: what became of it, how often it was tried, whether it changed something. */
export function cellInWords(cell: Cell): string {
  const parts = [lookOfCell(cell).word];
  if (cell.attempts > 1) parts.push(`attempt ${cell.attempts}`);
  if (cell.changed === true) parts.push('changed the host');
  return parts.join(', ');
}
