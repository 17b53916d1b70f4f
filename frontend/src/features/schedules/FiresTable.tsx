import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { scheduleFiresQuery } from '../../api/queries/automation/schedules';
import type { ScheduleFire } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { plural } from '../../ui/format/format';
import { AnchorLink } from '../../ui/page/links';
import { type Column, DataTable } from '../../ui/tables/DataTable';
import { listState } from '../../ui/tables/list-state';
import { FireBadge } from './state/FireBadge';
import { localTime } from './times/calendar';

const columnsOf = (timeZone: string): Column<ScheduleFire>[] => [
  {
    key: 'at',
    title: 'Time',
    width: 220,
    render: ({ at }) => <time dateTime={at}>{localTime(at, timeZone).text}</time>,
  },
  { key: 'outcome', title: 'Result', width: 160, render: (fire) => <FireBadge {...fire} /> },
  {
    key: 'what',
    title: '',
    render: ({ executionId, reason, blockedBy, missed }) => (
      <Stack gap={2} align="flex-start">
        {executionId && (
          <AnchorLink to="/executions/$id" params={{ id: executionId }}>
            Open run
          </AnchorLink>
        )}
        {reason && <Text className="rw-wrap-anywhere">{reason.text}</Text>}
        {blockedBy && (
          <AnchorLink to="/executions/$id" params={{ id: blockedBy }} size="xs">
            Conflicting run
          </AnchorLink>
        )}
        {missed > 0 && (
          <Text size="xs" c="dimmed">
            {missed >= 1000 ? '1,000 or more earlier occurrences' : plural(missed, 'earlier occurrence')} missed.
          </Text>
        )}
      </Stack>
    ),
  },
];

export function FiresTable({ id, timeZone }: { id: string; timeZone: string }) {
  const fires = useInfiniteQuery(scheduleFiresQuery(id));
  return (
    <DataTable
      label="Occurrences"
      list={listState(fires)}
      columns={columnsOf(timeZone)}
      rowKey={(fire) => fire.id}
      empty={
        <EmptyState icon={IconHistory} title="No occurrences yet">
          The last 100 occurrences appear here, with their runs.
        </EmptyState>
      }
    />
  );
}
