import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { CreateTokenRequest } from '../../types';

const KEY = ['tokens'] as const;

/** @param userId any member, for admins; undefined = the caller */
export const tokensQuery = (userId?: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, userId],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/tokens', { params: { query: { userId, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
  });

/** Refetched for each dialog, because `waitingRuns` changes with every start. */
export const tokenQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/tokens/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
  });

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    /** @param accountId a service account, for admins; undefined = the caller */
    mutationFn: ({ body, key, accountId }: { body: CreateTokenRequest; key: string; accountId?: string }) =>
      answerOf(
        accountId === undefined
          ? api.POST('/api/tokens', { body, headers: idempotent(key) })
          : api.POST('/api/service-accounts/{id}/tokens', {
              params: { path: { id: accountId } },
              body,
              headers: idempotent(key),
            }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The answer contains the token's value, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE('/api/tokens/{id}', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
