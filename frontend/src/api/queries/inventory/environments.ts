import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING, fetchAllPages } from '../../paging';
import type { Environment, UpdateEnvironmentRequest } from '../../types';

const KEY = ['environments'] as const;

export const environmentsQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/environments', { params: { query: { q: q || undefined, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
  });

/** With 200 environments a page: 2,000. */
const MAX_CHOICE_PAGES = 10;

/** Up to 2,000 environments by name, for select fields. */
export const environmentChoicesQuery = queryOptions({
  queryKey: [...KEY, 'choices'],
  queryFn: ({ signal }) =>
    fetchAllPages(MAX_CHOICE_PAGES, (cursor) =>
      answerOf(api.GET('/api/environments', { params: { query: { limit: 200, sort: 'name', cursor } }, signal })),
    ),
  staleTime: 30_000,
});

export const environmentQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/environments/{id}', { params: { path: { id } }, signal })),
  });

/** People who may run, approve and give grants in an environment. */
export const environmentPermissionsQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'permissions'],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/environments/{id}/permissions', { params: { path: { id } }, signal })),
    staleTime: 60_000,
  });

export type EnvironmentInput = UpdateEnvironmentRequest & { name: string };

export function useSaveEnvironment(current: Environment | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: EnvironmentInput; key: string }) =>
      current
        ? answerOf(
            api.PATCH('/api/environments/{id}', {
              params: { path: { id: current.id }, header: ifVersion(current.version) },
              body,
            }),
          )
        : answerOf(api.POST('/api/environments', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useUpdateEnvironment(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ version, body }: { version: number; body: UpdateEnvironmentRequest }) =>
      answerOf(api.PATCH('/api/environments/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSuccess: (environment) => client.setQueryData(environmentQuery(id).queryKey, environment),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useDeleteEnvironment() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Environment) =>
      answerOf(api.DELETE('/api/environments/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
