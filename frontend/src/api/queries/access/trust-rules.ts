import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { CreateTrustRuleRequest, TrustRule, UpdateTrustRuleRequest } from '../../types';

const KEY = ['trust-rules'] as const;

export const trustRulesQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/oidc-trust-rules', { params: { query: { q: q || undefined, cursor: pageParam } }, signal }),
      ),
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
  });

/** Refetched for each dialog, because `waitingRuns` changes with every start. */
export const trustRuleQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/oidc-trust-rules/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
  });

export function useCreateTrustRule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateTrustRuleRequest; key: string }) =>
      answerOf(api.POST('/api/oidc-trust-rules', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useUpdateTrustRule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ rule, body }: { rule: Pick<TrustRule, 'id' | 'version'>; body: UpdateTrustRuleRequest }) =>
      answerOf(
        api.PATCH('/api/oidc-trust-rules/{id}', {
          params: { path: { id: rule.id }, header: ifVersion(rule.version) },
          body,
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useDeleteTrustRule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Pick<TrustRule, 'id' | 'version'>) =>
      answerOf(api.DELETE('/api/oidc-trust-rules/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useTryToken() {
  return useMutation({
    mutationFn: (token: string) => answerOf(api.POST('/api/oidc-trust-rules/try', { body: { token } })),
    // The request contains the token, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}
