import type { ProblemItem } from '../../common/errors/problem-item.js';
import type { RunWindowsRequest } from './run-windows.dto.js';
import { type RunWindows, computeWindowState } from './run-windows.js';

/** Maximum length of a period in which the windows stay closed, in days. A longer period is considered a mistake. */
const MAX_CLOSED_DAYS = 400;
const DAY_MS = 86_400_000;

export const toRunWindows = ({ timeZone, open, blackouts = [] }: RunWindowsRequest): RunWindows => ({
  timeZone,
  open: open.map(({ days, from, to }) => ({ days, from, to })),
  blackouts: blackouts.map(({ from, to, reason }) => ({ from, to, reason })),
});

export function findWindowFaults(windows: RunWindows, now: Date): ProblemItem[] {
  const faults: ProblemItem[] = [];
  for (const [index, { from, to }] of windows.open.entries()) {
    if (from !== to) continue;
    const message = 'A span must not end at the time when it begins. For the whole day, send 00:00 to 24:00.';
    faults.push({ path: `/runWindows/open/${index}/to`, code: 'out_of_range', message });
  }
  for (const [index, { from, to }] of windows.blackouts.entries()) {
    if (from < to) continue;
    const message = 'A blackout must end after it begins. Send a later time.';
    faults.push({ path: `/runWindows/blackouts/${index}/to`, code: 'out_of_range', message });
  }
  return faults.length > 0 ? faults : findNeverOpensProblems(windows, now);
}

function findNeverOpensProblems(windows: RunWindows, now: Date): ProblemItem[] {
  const state = computeWindowState(windows, now);
  if (state.open) return [];
  if (state.opensAt && state.opensAt.getTime() - now.getTime() < MAX_CLOSED_DAYS * DAY_MS) return [];
  const message = `With these windows no run may begin for more than ${MAX_CLOSED_DAYS} days. Shorten the blackouts; to block all runs, allow only the mode dry_run.`;
  return [{ path: '/runWindows', code: 'never_comes', message }];
}
