import { Checkbox, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconArrowsExchange, IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { executionsQuery } from '../../../api/queries/runs/executions';
import type { ExecutionSummary } from '../../../api/types';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { shortTime } from '../../../ui/format/format';
import { ButtonLink } from '../../../ui/page/links';
import type { Column } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';
import { RunsTable } from '../../../ui/runs/RunsTable';

/** Runs of a plan, of which two can be selected and compared. */
export function PlanRuns({ planId }: { planId: string }) {
  const runs = useInfiniteQuery({ ...executionsQuery({ planId }), refetchInterval: 5_000 });
  /** IDs of at most two runs. A third one replaces the first. */
  const [selected, setSelected] = useState<readonly string[]>([]);
  const list = listState(runs);
  const choice: Column<ExecutionSummary> = {
    key: 'choice',
    title: <span className="rw-nowrap" />,
    width: 40,
    render: ({ id, createdAt }) => (
      <Checkbox
        aria-label={`Select the run of ${shortTime(createdAt)} for a comparison`}
        checked={selected.includes(id)}
        onChange={({ currentTarget: { checked } }) =>
          setSelected((before) => [
            ...before.filter((each) => each !== id).slice(checked ? -1 : -2),
            ...(checked ? [id] : []),
          ])
        }
      />
    ),
  };
  const empty = (
    <EmptyState icon={IconHistory} title="No runs yet">
      Runs of this plan appear here, newest first.
    </EmptyState>
  );
  // IDs ascend with time.
  const [earlier, later] = selected.toSorted();
  const canCompare = (list.rows?.length ?? 0) > 1;
  return (
    <>
      {canCompare && (
        <Group mb="xs" gap="sm" mih={36}>
          {earlier !== undefined && later !== undefined ? (
            <ButtonLink
              variant="default"
              leftSection={<IconArrowsExchange size={15} aria-hidden />}
              to="/executions/$id/compare"
              params={{ id: later }}
              search={{ with: earlier }}
            >
              Compare the two runs
            </ButtonLink>
          ) : (
            <Text c="dimmed">Select two runs to compare them.</Text>
          )}
        </Group>
      )}
      <RunsTable label="Runs of this plan" list={list} empty={empty} leading={canCompare ? choice : undefined} />
    </>
  );
}
