import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { executionsQuery } from '../../../api/queries/runs/executions';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { listState } from '../../../ui/tables/list-state';
import { RunsTable } from '../../../ui/runs/RunsTable';

export function PlanRuns({ planId }: { planId: string }) {
  const runs = useInfiniteQuery({ ...executionsQuery({ planId }), refetchInterval: 5_000 });
  const empty = (
    <EmptyState icon={IconHistory} title="No runs yet">
      Runs of this plan appear here, newest first.
    </EmptyState>
  );
  return <RunsTable label="Runs of this plan" list={listState(runs)} empty={empty} />;
}
