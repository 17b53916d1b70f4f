import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import type { RetentionLimits } from '../../types';

const KEY = ['retention'] as const;

/** Null = rule of the tenant. */
export type RuleOf = { environmentId: string | null };

export const retentionQuery = queryOptions({
  queryKey: [...KEY, 'all'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/retention', { signal })),
});

/** What a rule would delete now. Not cached, because the figures change with every run. */
export const retentionPreviewQuery = ({ environmentId }: RuleOf, rule: RetentionLimits) =>
  queryOptions({
    queryKey: [...KEY, 'preview', environmentId, rule],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/api/retention/preview', { body: { ...(environmentId ? { environmentId } : {}), rule }, signal }),
      ),
    staleTime: 0,
    gcTime: 0,
  });

/** `confirm` allows the rule to delete more than half. */
export function usePutRetentionRule({ environmentId }: RuleOf) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RetentionLimits & { confirm: boolean }) =>
      answerOf(
        environmentId === null
          ? api.PUT('/api/retention/rule', { body })
          : api.PUT('/api/retention/environments/{id}', { params: { path: { id: environmentId } }, body }),
      ),
    onSuccess: (retention) => client.setQueryData(retentionQuery.queryKey, retention),
  });
}

/** Deletes the rule of an environment, where the tenant's rule then applies again. */
export function useDropRetentionRule(environmentId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (confirm: boolean) =>
      answerOf(
        api.DELETE('/api/retention/environments/{id}', { params: { path: { id: environmentId }, query: { confirm } } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useRequestRetentionPass() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(api.POST('/api/retention/pass', {})),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
