import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import { SERVERS_QUERY_KEY } from './servers';
import type { ImportAction, ImportServersRequest, ServerImport } from '../../types';

const KEY = ['imports'] as const;
const PAGE_SIZE = 200;
/** Maximum time for which one request waits for the end of the import, in s. The displayed progress may be as old. */
const POLL_SECONDS = 2;
/** Refetch intervals in ms: after a response, after an error, and of the list. */
const [REPOLL_MS, AFTER_ERROR_MS, LIST_POLL_MS] = [100, 5_000, 3_000];

export const isEnded = ({ status }: Pick<ServerImport, 'status'>): boolean =>
  status === 'succeeded' || status === 'failed';

/** An import or preview. Refetched until it has ended; afterwards it never changes. */
export const importQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: async ({ signal, client, queryKey }) => {
      const wait = client.getQueryData(queryKey) ? POLL_SECONDS : 0;
      const params = { path: { id }, query: { wait } };
      const found = await answerOf(api.GET('/api/inventory/imports/{id}', { params, signal }));
      if (isEnded(found) && !found.preview) void client.invalidateQueries({ queryKey: SERVERS_QUERY_KEY });
      return found;
    },
    staleTime: ({ state: { data } }) => (data && isEnded(data) ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: ({ state: { data, error } }) => {
      if (!data || isEnded(data)) return false;
      return error ? AFTER_ERROR_MS : REPOLL_MS;
    },
  });

export const importsQuery = (environmentId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', environmentId],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/inventory/imports', { params: { query: { environmentId, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some((one) => !isEnded(one))) ? LIST_POLL_MS : false,
  });

/** What an import does with each server. @param actions only these actions; empty = all */
export const importEntriesQuery = (id: string, actions: ImportAction[]) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'one', id, 'entries', actions],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/inventory/imports/{id}/entries', {
          params: {
            path: { id },
            query: { cursor: pageParam, limit: PAGE_SIZE, ...(actions.length > 0 ? { action: actions } : {}) },
          },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
    staleTime: Number.POSITIVE_INFINITY,
  });

export function usePreviewImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: ImportServersRequest; key: string }) =>
      answerOf(
        api.POST('/api/inventory/servers/import', {
          params: { query: { preview: 'true', wait: POLL_SECONDS } },
          body,
          headers: idempotent(key),
        }),
      ),
    onSuccess: (preview) => {
      client.setQueryData(importQuery(preview.id).queryKey, preview);
      return client.invalidateQueries({ queryKey: [...KEY, 'list'] });
    },
    // The text may contain secrets, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useApplyImport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, key }: { id: string; key: string }) =>
      answerOf(api.POST('/api/inventory/imports/{id}/apply', { params: { path: { id } }, headers: idempotent(key) })),
    onSuccess: (applied) => {
      client.setQueryData(importQuery(applied.id).queryKey, applied);
      void client.invalidateQueries({ queryKey: SERVERS_QUERY_KEY });
      return client.invalidateQueries({ queryKey: [...KEY, 'list'] });
    },
  });
}
