import { Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconCalendarTime } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type ScheduleFilters, schedulesQuery } from '../../api/queries/automation/schedules';
import type { ScheduleSummary } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { FireBadge, PausedBadge } from './state/FireBadge';
import { timingText } from './times/timing';

const COLUMNS: Column<ScheduleSummary>[] = [
  {
    key: 'name',
    title: 'Name',
    render: ({ id, name, planName, environmentName }) => (
      <Stack gap={0}>
        <AnchorLink to="/schedules/$id" params={{ id }} search={{}} fw={550} className="rw-wrap-anywhere">
          {name}
        </AnchorLink>
        <Text size="xs" c="dimmed" className="rw-wrap-anywhere">
          <bdi>{planName}</bdi> in <bdi>{environmentName}</bdi>
        </Text>
      </Stack>
    ),
  },
  { key: 'when', title: 'Timing', from: 'sm', render: (schedule) => timingText(schedule) },
  {
    key: 'next',
    title: 'Next',
    width: 130,
    render: ({ enabled, nextAt }) => (enabled ? <RelativeTime at={nextAt} never="Never" /> : <PausedBadge />),
  },
  {
    key: 'last',
    title: 'Latest',
    from: 'xs',
    width: 170,
    render: ({ lastFire }) =>
      lastFire === null ? (
        <Text c="dimmed">None yet</Text>
      ) : (
        <Stack gap={2} align="flex-start" title={lastFire.reason?.text}>
          <FireBadge {...lastFire} />
          <Text size="xs" c="dimmed">
            <RelativeTime at={lastFire.at} />
          </Text>
        </Stack>
      ),
  },
  { key: 'owner', title: 'Runs as', from: 'md', width: 150, render: ({ owner }) => owner?.name ?? 'Removed member' },
];

interface Props {
  filters: ScheduleFilters;
  empty: { title: string; action?: ReactNode };
}

export function SchedulesTable({ filters, empty }: Props) {
  const schedules = useInfiniteQuery(schedulesQuery(filters));
  return (
    <DataTable
      label="Schedules"
      list={listState(schedules)}
      columns={COLUMNS}
      rowKey={({ id }) => id}
      empty={
        <EmptyState
          icon={IconCalendarTime}
          title={empty.title}
          action={empty.action && <Group>{empty.action}</Group>}
          needsGrant={!filters.q}
        >
          A schedule starts a plan automatically at set times, with the rights of the member who saved it.
        </EmptyState>
      }
    />
  );
}
