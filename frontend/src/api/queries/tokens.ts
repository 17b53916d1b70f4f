import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent } from '../client';

const KEY = ['tokens'] as const;

export const tokensQuery = infiniteQueryOptions({
  queryKey: KEY,
  queryFn: ({ pageParam, signal }) =>
    answerOf(api.GET('/api/tokens', { params: { query: { cursor: pageParam } }, signal })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.nextCursor ?? undefined,
});

export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: { name: string; expiresAt?: string }; key: string }) =>
      answerOf(api.POST('/api/tokens', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The token's value is in the answer; it must not stay in the cache of finished mutations.
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
