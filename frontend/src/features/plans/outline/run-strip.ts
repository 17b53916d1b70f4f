import type { ExecutionSummary } from '../../../api/types';
import { duration, plural, shortTime } from '../../../ui/format/format';
import { statusStyle } from '../../../ui/status/statuses';

type Run = Pick<
  ExecutionSummary,
  'status' | 'successful' | 'finished' | 'execution_mode' | 'environmentName' | 'createdAt' | 'startedAt' | 'finishedAt'
>;

/** Duration in ms; null = not started, or not finished. */
export const runDuration = ({ startedAt, finishedAt }: Run): number | null =>
  startedAt === null || finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);

/**
 * Returns the height of each bar, in percent. The square root keeps short runs visible beside one that waited for hours.
 */
export function barHeights(runs: readonly Run[], least: number): number[] {
  const longest = Math.max(1, ...runs.map((run) => runDuration(run) ?? 0));
  return runs.map((run) => Math.max(least, Math.round(Math.sqrt((runDuration(run) ?? 0) / longest) * 100)));
}

export function describeRun(run: Run): string {
  const ms = runDuration(run);
  const parts = [
    statusStyle(run.status).label,
    ...(ms === null ? [] : [duration(ms)]),
    ...(run.execution_mode === 'dry_run' ? ['dry run'] : []),
    run.environmentName,
    shortTime(run.createdAt),
  ];
  return parts.join(', ');
}

/** Example: "24 succeeded, 3 not, median 41 s". Dry runs are not counted. */
export function describeRuns(runs: readonly Run[]): string {
  const finished = runs.filter(({ finished, execution_mode }) => finished && execution_mode !== 'dry_run');
  if (finished.length === 0) return plural(runs.length, 'run');
  const succeeded = finished.filter(({ successful }) => successful);
  const times = succeeded.flatMap((run) => runDuration(run) ?? []).toSorted((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  return [
    `${succeeded.length} of ${plural(finished.length, 'run')} succeeded`,
    ...(median === undefined ? [] : [`median ${duration(median)}`]),
  ].join(', ');
}
