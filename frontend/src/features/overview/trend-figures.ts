import type { DurationDay, TrendDay } from '../../api/types';

export interface TrendSum {
  runs: number;
  succeeded: number;
  /** Share of successful runs; null = no runs. Rounded down, so that 100 % means that none failed. */
  percent: number | null;
}

export function sumTrend(days: readonly Pick<TrendDay, 'runs' | 'succeeded'>[]): TrendSum {
  const runs = days.reduce((sum, day) => sum + day.runs, 0);
  const succeeded = days.reduce((sum, day) => sum + day.succeeded, 0);
  return { runs, succeeded, percent: runs === 0 ? null : Math.floor((succeeded / runs) * 100) };
}

/** Unit of an axis for durations, so that its numbers stay short. */
export function durationUnit(days: readonly Pick<DurationDay, 'p95Ms'>[]): { label: string; ms: number } {
  const longest = Math.max(0, ...days.map(({ p95Ms }) => p95Ms ?? 0));
  if (longest >= 2 * 3_600_000) return { label: 'h', ms: 3_600_000 };
  if (longest >= 2 * 60_000) return { label: 'min', ms: 60_000 };
  return { label: 's', ms: 1_000 };
}

/** Returns the last days in UTC, oldest first, with empty days for those without runs. */
export function fillDays(days: readonly DurationDay[], count: number, now = Date.now()): DurationDay[] {
  const known = new Map(days.map((each) => [each.day, each]));
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    return known.get(day) ?? { day, runs: 0, succeeded: 0, medianMs: null, p95Ms: null };
  });
}
