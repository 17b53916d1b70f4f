import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { latestExecutionsQuery } from '../../../api/queries/runs/executions';
import { exactTime } from '../../../ui/format/format';
import { PlainLink } from '../../../ui/page/links';
import { StatusDot } from '../../../ui/status/StatusBadge';
import { statusStyle } from '../../../ui/status/statuses';
import classes from './list.module.css';

const SHOWN = 6;
const REFRESH_MS = 10_000;

/** Shows the statuses of the plan's latest runs as links, oldest first. */
export function LastRuns({ planId }: { planId: string }) {
  const { data } = useQuery({
    ...latestExecutionsQuery({ planId }, SHOWN),
    staleTime: 15_000,
    // Refetches only while a run is unfinished, because finished runs do not change.
    refetchInterval: ({ state }) => (state.data?.items.some(({ finished }) => !finished) ? REFRESH_MS : false),
  });
  if (!data) return null;
  if (data.items.length === 0)
    return (
      <Text size="xs" c="dimmed">
        No runs
      </Text>
    );
  return (
    <Group gap={1} wrap="nowrap">
      {data.items.toReversed().map((run) => (
        <PlainLink
          key={run.id}
          to="/executions/$id"
          params={{ id: run.id }}
          aria-label={`${statusStyle(run.status).label}, ${exactTime(run.createdAt)}`}
          className={classes.run}
        >
          <StatusDot
            status={run.status}
            label={`${statusStyle(run.status).label}, ${exactTime(run.createdAt)}`}
            size={15}
          />
        </PlainLink>
      ))}
    </Group>
  );
}
