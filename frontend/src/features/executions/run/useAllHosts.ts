import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { resultGridQuery } from '../../../api/queries/runs/executions';
import type { Execution, ExecutionHost, ResultGrid } from '../../../api/types';

/** Returns all hosts of a run. The run contains the first ones; of a larger run, the grid has all. */
export function useAllHosts({ id, hosts, hostsNextCursor }: Execution): ExecutionHost[] {
  const { data: grid } = useQuery({ ...resultGridQuery(id), enabled: hostsNextCursor !== null });
  const others = useMemo(() => (grid ? hostsOf(grid) : NO_HOSTS), [grid]);
  // The status of the first hosts may be newer than in the grid.
  return useMemo(
    () => (hostsNextCursor === null ? hosts : [...hosts, ...others.slice(hosts.length)]),
    [hosts, hostsNextCursor, others],
  );
}

const NO_HOSTS: ExecutionHost[] = [];

const hostsOf = (grid: ResultGrid): ExecutionHost[] =>
  grid.serverIds.map((serverId, index) => ({
    serverId,
    name: grid.serverNames[index] ?? '',
    address: grid.addresses[index] ?? '',
    status: grid.hostStatuses[index] ?? 'PENDING',
    targetedBy: grid.targetedBy[grid.targets[index] ?? 0] ?? null,
    lastStepKey: null,
    tags: grid.tags[grid.hostTags[index] ?? 0] ?? {},
  }));
