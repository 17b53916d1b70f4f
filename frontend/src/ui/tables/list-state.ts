import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { Page } from '../../api/types';
import type { ListState } from './DataTable';

export function listState<T>(query: UseInfiniteQueryResult<InfiniteData<Page<T>, unknown>>): ListState<T> {
  return {
    rows: query.data?.pages.flatMap((page) => page.items),
    error: query.error,
    refetch: () => void query.refetch(),
    more: query.hasNextPage ? { load: () => void query.fetchNextPage(), loading: query.isFetchingNextPage } : null,
  };
}
