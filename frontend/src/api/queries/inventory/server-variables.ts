import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, ifUnchanged, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { Variable } from '../../types';
import { serverQuery } from './servers';
import type { VariableChange } from './variables';

const PAGE_SIZE = 200;

export const serverVariablesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...serverQuery(id).queryKey, 'variables'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/inventory/servers/{id}/variables', {
          params: { path: { id }, query: { cursor: pageParam, limit: PAGE_SIZE } },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
  });

export function usePutServerVariable(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ key, body, current }: VariableChange) =>
      answerOf(
        api.PUT('/api/inventory/servers/{id}/variables/{key}', {
          params: { path: { id, key }, header: ifUnchanged(current) },
          body,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: serverVariablesQuery(id).queryKey }),
    // The value may be secret and must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useDeleteServerVariable(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ key, version }: Variable) =>
      answerOf(
        api.DELETE('/api/inventory/servers/{id}/variables/{key}', {
          params: { path: { id, key }, header: ifVersion(version) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: serverVariablesQuery(id).queryKey }),
  });
}
