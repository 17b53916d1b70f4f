import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { executionsQuery } from '../../../api/queries/runs/executions';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { RunsTable } from '../../../ui/runs/RunsTable';
import { listState } from '../../../ui/tables/list-state';
import type { ServerTabProps } from './server-tab';

const REFRESH_MS = 5_000;

export function RunsTab({ server }: ServerTabProps) {
  const runs = useInfiniteQuery({ ...executionsQuery({ serverId: server.id }), refetchInterval: REFRESH_MS });
  return (
    <RunsTable
      label="Runs on this server"
      list={listState(runs)}
      empty={
        <EmptyState icon={IconHistory} title="No runs yet">
          Runs on this server appear here, newest first.
        </EmptyState>
      }
    />
  );
}
