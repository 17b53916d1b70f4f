import '@mantine/charts/styles.layer.css';
import { BarChart, LineChart } from '@mantine/charts';
import type { DurationDay, TrendDay } from '../../api/types';
import { durationUnit } from './trend-figures';

const SERIES = [
  { name: 'succeeded', label: 'Succeeded', color: 'var(--rw-good)' },
  { name: 'failed', label: 'Failed', color: 'var(--rw-bad)' },
];
/** The values are in a table or sentence beside each chart, so charts take no focus. */
const STILL = { accessibilityLayer: false };
const NO_ANIMATION = { isAnimationActive: false };

const toBars = (days: readonly TrendDay[]) =>
  days.map(({ day, runs, succeeded }) => ({ day, succeeded, failed: runs - succeeded }));

const shortDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export function RunsChart({ days }: { days: readonly TrendDay[] }) {
  return (
    <BarChart
      h={220}
      data={toBars(days)}
      dataKey="day"
      type="stacked"
      series={SERIES}
      withLegend
      xAxisProps={{ tickFormatter: shortDay, minTickGap: 24 }}
      yAxisProps={{ allowDecimals: false, width: 36 }}
      tooltipProps={{ labelFormatter: (day) => (typeof day === 'string' ? shortDay(day) : day) }}
      barChartProps={STILL}
      barProps={NO_ANIMATION}
    />
  );
}

export function DurationChart({ days }: { days: readonly DurationDay[] }) {
  const { label, ms } = durationUnit(days);
  const inUnit = (value: number | null) => (value === null ? null : Math.round((value / ms) * 10) / 10);
  return (
    <LineChart
      h={220}
      data={days.map(({ day, medianMs, p95Ms }) => ({ day, median: inUnit(medianMs), p95: inUnit(p95Ms) }))}
      dataKey="day"
      series={[
        { name: 'median', label: 'Median', color: 'var(--rw-active)' },
        { name: 'p95', label: '95 % within', color: 'var(--rw-muted)' },
      ]}
      unit={` ${label}`}
      withLegend
      connectNulls
      curveType="linear"
      dotProps={{ r: 2 }}
      xAxisProps={{ tickFormatter: shortDay, minTickGap: 24 }}
      yAxisProps={{ width: 56 }}
      tooltipProps={{ labelFormatter: (day) => (typeof day === 'string' ? shortDay(day) : day) }}
      lineChartProps={STILL}
      lineProps={NO_ANIMATION}
    />
  );
}
