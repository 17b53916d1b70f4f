import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, ifUnchanged, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { Variable } from '../../types';
import { environmentQuery } from './environments';
import type { VariableChange } from './variables';

const PAGE_SIZE = 200;

export const variablesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...environmentQuery(id).queryKey, 'variables'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/environments/{id}/variables', {
          params: { path: { id }, query: { cursor: pageParam, limit: PAGE_SIZE } },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
  });

export function usePutVariable(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ key, body, current }: VariableChange) =>
      answerOf(
        api.PUT('/api/environments/{id}/variables/{key}', {
          params: { path: { id, key }, header: ifUnchanged(current) },
          body,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: variablesQuery(id).queryKey }),
    // The value may be secret and must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useDeleteVariable(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ key, version }: Variable) =>
      answerOf(
        api.DELETE('/api/environments/{id}/variables/{key}', {
          params: { path: { id, key }, header: ifVersion(version) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: variablesQuery(id).queryKey }),
  });
}
