import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { executionHostsQuery } from '../../../api/queries/runs/executions';
import type { Execution, ExecutionHost } from '../../../api/types';

/** Returns all hosts of a run. The run contains the first page; the other pages are loaded. */
export function useAllHosts(run: Execution): ExecutionHost[] {
  const more = useInfiniteQuery(executionHostsQuery(run.id, run.hostsNextCursor));
  const { hasNextPage, isFetching, isError, fetchNextPage } = more;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return useMemo(
    () => [...run.hosts, ...(more.data?.pages.flatMap((page) => page.hosts) ?? [])],
    [run.hosts, more.data],
  );
}
