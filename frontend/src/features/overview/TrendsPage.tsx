import { Group, Paper, SegmentedControl, Select, SimpleGrid, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import { runTrendsQuery } from '../../api/queries/runs/overview';
import type { DurationDay, RunTrends } from '../../api/types';
import { EnvironmentSelect } from '../../ui/environments/EnvironmentSelect';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { limit } from '../../ui/format/format';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import classes from './overview.module.css';
import { Section } from './Section';
import { fillDays, sumTrend } from './trend-figures';

const RunsChart = lazy(() => import('./TrendCharts').then((module) => ({ default: module.RunsChart })));
const DurationChart = lazy(() => import('./TrendCharts').then((module) => ({ default: module.DurationChart })));
const CHART_PX = 220;
const DEFAULT_DAYS = '30';
export const TREND_DAYS = ['7', '30', '90'] as const;

const route = getRouteApi('/app/trends');

export function TrendsPage() {
  const { plan, environment, days = DEFAULT_DAYS } = route.useSearch();
  const navigate = useNavigate({ from: '/trends' });
  const set = (change: { plan?: string; environment?: string; days?: (typeof TREND_DAYS)[number] }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const plans = useQuery(planChoicesQuery);
  const trends = useQuery(
    runTrendsQuery({
      days: Number(days),
      ...(plan ? { planId: plan } : {}),
      ...(environment ? { environmentId: environment } : {}),
    }),
  );
  return (
    <>
      <PageHeader
        title="Trends"
        above={<AnchorLink to="/">Overview</AnchorLink>}
        description="Finished runs by day, in UTC. Dry runs and cancelled, rejected or expired runs do not count."
      />
      <Group gap="sm" mb="md" align="flex-end">
        <EnvironmentSelect
          label="Environment"
          placeholder="All environments"
          clearable
          value={environment ?? null}
          onChange={(value) => set({ environment: value ?? undefined })}
        />
        <Select
          label="Plan"
          placeholder="All plans"
          clearable
          searchable
          data={(plans.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={plan ?? null}
          onChange={(value) => set({ plan: value ?? undefined })}
        />
        <SegmentedControl
          aria-label="Period"
          data={TREND_DAYS.map((value) => ({ value, label: `${value} days` }))}
          value={days}
          onChange={(value) => set({ days: TREND_DAYS.find((each) => each === value) })}
        />
      </Group>
      {trends.data ? (
        <Trends trends={trends.data} days={fillDays(trends.data.items, Number(days))} />
      ) : trends.error ? (
        <ErrorPanel error={trends.error} onRetry={() => void trends.refetch()} />
      ) : (
        <Skeleton height={520} />
      )}
    </>
  );
}

function Trends({ trends: { items, total, incomplete }, days }: { trends: RunTrends; days: DurationDay[] }) {
  const { runs, succeeded, percent } = sumTrend([total]);
  return (
    <>
      <Paper className={classes.facts} component="section" aria-label="Summary">
        <Fact label="runs">{runs.toLocaleString('en')}</Fact>
        <Fact label="succeeded">{percent === null ? '–' : `${percent} %`}</Fact>
        <Fact label="failed">{(runs - succeeded).toLocaleString('en')}</Fact>
        <Fact label="median duration">{total.medianMs === null ? '–' : limit(total.medianMs)}</Fact>
      </Paper>
      {incomplete && (
        <Text mb="md" c="dimmed">
          Only the newest 20,000 runs are counted. Choose a plan, an environment or a shorter period.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} mb="lg">
        <Chart title="Runs by day">
          <RunsChart days={days} />
        </Chart>
        <Chart title="Duration of successful runs">
          <DurationChart days={days} />
        </Chart>
      </SimpleGrid>
      <DayTable days={items} />
    </>
  );
}

function Fact({ label, children }: { label: string; children: string }) {
  return (
    <div className={classes.fact}>
      <div className={classes.figure}>{children}</div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    </div>
  );
}

function Chart({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Paper p="md">
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {/* The table below has the same values. */}
      <div aria-hidden style={{ minHeight: CHART_PX }}>
        <Suspense>{children}</Suspense>
      </div>
    </Paper>
  );
}

function DayTable({ days }: { days: readonly DurationDay[] }) {
  const time = (ms: number | null) => (ms === null ? '–' : limit(ms));
  return (
    <Section title="By day" note="Days without runs are left out.">
      <Paper className={classes.matrix} tabIndex={0} role="region" aria-label="Runs by day">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Day</Table.Th>
              <Table.Th scope="col">Runs</Table.Th>
              <Table.Th scope="col">Succeeded</Table.Th>
              <Table.Th scope="col">Failed</Table.Th>
              <Table.Th scope="col">Median</Table.Th>
              <Table.Th scope="col">95 % within</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {days.toReversed().map(({ day, runs, succeeded, medianMs, p95Ms }) => (
              <Table.Tr key={day}>
                <Table.Th scope="row">{day}</Table.Th>
                <Table.Td>{runs}</Table.Td>
                <Table.Td>{Math.floor((succeeded / runs) * 100)} %</Table.Td>
                <Table.Td>{runs - succeeded}</Table.Td>
                <Table.Td>{time(medianMs)}</Table.Td>
                <Table.Td>{time(p95Ms)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
    </Section>
  );
}
