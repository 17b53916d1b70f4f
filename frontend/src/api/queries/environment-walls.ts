import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, ifVersion } from '../client';
import type { EnvironmentVariable, Grant, GrantLevel, PutVariableRequest } from '../types';
import { environmentQuery } from './environments';

const PAGE_SIZE = 200;

/** A record's version as a header; none when there is no record yet. */
const ifSame = (current: { version: number } | null) => (current ? ifVersion(current.version) : undefined);

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
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

export interface VariableWish {
  key: string;
  body: PutVariableRequest;
  /** What it replaces; null: it is new. */
  current: EnvironmentVariable | null;
}

export function usePutVariable(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ key, body, current }: VariableWish) =>
      answerOf(
        api.PUT('/api/environments/{id}/variables/{key}', {
          params: { path: { id, key }, header: ifSame(current) },
          body,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: variablesQuery(id).queryKey }),
    // The value may be secret; it must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useDeleteVariable(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ key, version }: EnvironmentVariable) =>
      answerOf(
        api.DELETE('/api/environments/{id}/variables/{key}', {
          params: { path: { id, key }, header: ifVersion(version) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: variablesQuery(id).queryKey }),
  });
}

/** All grants of an environment by the member's id: the matrix shows each member's beside its name. */
export const grantsQuery = (id: string) =>
  queryOptions({
    queryKey: [...environmentQuery(id).queryKey, 'grants'],
    queryFn: async ({ signal }) => {
      const grants = new Map<string, Grant>();
      let cursor: string | undefined;
      do {
        const query = { limit: PAGE_SIZE, cursor };
        const page = await answerOf(
          api.GET('/api/environments/{id}/grants', { params: { path: { id }, query }, signal }),
        );
        for (const grant of page.items) grants.set(grant.user.id, grant);
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      return grants;
    },
  });

export interface GrantWish {
  userId: string;
  current: Grant | null;
  /** Null takes the grant away. */
  level: GrantLevel | null;
}

export function useSetGrant(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ userId, current, level }: GrantWish): Promise<void> => {
      const params = { path: { id, userId }, header: ifSame(current) };
      if (level) await answerOf(api.PUT('/api/environments/{id}/grants/{userId}', { params, body: { level } }));
      else await answerOf(api.DELETE('/api/environments/{id}/grants/{userId}', { params }));
    },
    // One's own grant stands in the environment too.
    onSettled: () => client.invalidateQueries({ queryKey: environmentQuery(id).queryKey }),
  });
}
