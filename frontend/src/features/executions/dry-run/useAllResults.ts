import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { resultsQuery } from '../../../api/queries/runs/executions';
import type { HostResult } from '../../../api/types';

/** Loads the results of a run page by page, and returns those that are loaded. */
export function useAllResults(id: string): HostResult[] {
  const query = useInfiniteQuery(resultsQuery(id));
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return query.data?.pages.flatMap((page) => page.items) ?? [];
}
