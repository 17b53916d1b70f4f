import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { resultGridQuery } from '../../../api/queries/runs/executions';
import type { Execution, ExecutionHost, ResultGrid } from '../../../api/types';

/** Returns all hosts of a run. The run contains the first ones; of a larger run, the grid has all. */
export function useAllHosts(run: Execution): ExecutionHost[] {
  const { data: grid } = useQuery({ ...resultGridQuery(run.id), enabled: run.hostsNextCursor !== null });
  return useMemo(() => (run.hostsNextCursor !== null && grid ? hostsOf(grid, run.hosts) : run.hosts), [run, grid]);
}

/** @param latest first hosts of the run; their status may be newer than the grid's */
function hostsOf(grid: ResultGrid, latest: readonly ExecutionHost[]): ExecutionHost[] {
  return grid.serverIds.map(
    (serverId, index) =>
      latest[index] ?? {
        serverId,
        name: grid.serverNames[index] ?? '',
        address: grid.addresses[index] ?? '',
        status: grid.hostStatuses[index] ?? 'PENDING',
        targetedBy: grid.targetedBy[grid.targets[index] ?? 0] ?? null,
        lastStepKey: null,
      },
  );
}
