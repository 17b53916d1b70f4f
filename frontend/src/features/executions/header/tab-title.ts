import type { Execution, HostStatus } from '../../../api/types';
import { runStatusLabel } from '../../../ui/status/statuses';

const UNFINISHED: ReadonlySet<HostStatus> = new Set(['PENDING', 'CONNECTING', 'RUNNING']);

/** Returns the share of finished results among all steps on all hosts, in percent. */
export function progressOf({ steps, hostCount }: Pick<Execution, 'steps' | 'hostCount'>): number {
  const finished = steps
    .flatMap(({ counts }) => Object.entries(counts))
    .reduce((sum, [status, count]) => (UNFINISHED.has(status as HostStatus) ? sum : sum + count), 0);
  return Math.min(100, Math.floor((100 * finished) / Math.max(1, steps.length * hostCount)));
}

/** Title of the browser tab: state first, because tabs show only the beginning. */
export const tabTitle = (run: Execution): string =>
  `${run.status === 'RUNNING' ? `${progressOf(run)} %` : runStatusLabel(run)}: ${run.planName}`;
