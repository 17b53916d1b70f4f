import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import { isSyncing } from './git-sync';
import type { CreateGitSourceRequest, GitSource, UpdateGitSourceRequest } from '../../types';

const KEY = ['git-sources'] as const;
/** Refetch intervals in ms: during a sync, and otherwise. A webhook or the schedule may start a sync. */
const SYNCING_MS = 1_500;
const IDLE_MS = 15_000;

export const gitSourcesQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/git-sources', { params: { query: { q: q || undefined, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(isSyncing)) ? SYNCING_MS : IDLE_MS,
  });

export const gitSourceQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/git-sources/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data && (isSyncing(data) || data.planSyncPending) ? SYNCING_MS : IDLE_MS,
  });

/** Up to 200 git sources, for select fields. */
export const gitSourceChoicesQuery = queryOptions({
  queryKey: [...KEY, 'choices'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/git-sources', { params: { query: { limit: 200 } }, signal })),
  staleTime: 30_000,
});

/** Query key of a read from the repository. The content of one commit never changes. */
interface Place {
  id: string;
  commit: string;
  path: string;
}

export const gitTreeQuery = ({ id, commit, path }: Place) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'tree', id, commit, path],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/git-sources/{id}/tree', {
          params: { path: { id }, query: { ref: commit, path: path || undefined, limit: 200, cursor: pageParam } },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
    staleTime: Infinity,
  });

export const gitFileQuery = ({ id, commit, path }: Place) =>
  queryOptions({
    queryKey: [...KEY, 'file', id, commit, path],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/git-sources/{id}/file', { params: { path: { id }, query: { ref: commit, path } }, signal }),
      ),
    staleTime: Infinity,
  });

export const gitCommitsQuery = ({ id, commit, path }: Place) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'commits', id, commit, path],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/git-sources/{id}/commits', {
          params: { path: { id }, query: { ref: commit, path: path || undefined, cursor: pageParam } },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
    staleTime: Infinity,
  });

export function useCreateGitSource() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateGitSourceRequest; key: string }) =>
      answerOf(api.POST('/api/git-sources', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The request may contain a token or secret, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useUpdateGitSource() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ source: { id, version }, body }: { source: GitSource; body: UpdateGitSourceRequest }) =>
      answerOf(api.PATCH('/api/git-sources/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
    gcTime: 0,
  });
}

export function useDeleteGitSource() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: GitSource) =>
      answerOf(api.DELETE('/api/git-sources/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: () => client.invalidateQueries({ queryKey: [...KEY, 'list'] }),
  });
}

export function useSyncGitSource() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: GitSource) => answerOf(api.POST('/api/git-sources/{id}/sync', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
