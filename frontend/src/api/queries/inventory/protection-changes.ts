import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import type { CreateProtectionChangeRequest } from '../../types';
import { environmentQuery } from './environments';

const keyOf = (environmentId: string) => ['environments', 'protection-changes', environmentId] as const;

/** The last ten changes that weaken the protection of an environment, the newest first. */
export const protectionChangesQuery = (environmentId: string) =>
  queryOptions({
    queryKey: keyOf(environmentId),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/environments/{id}/protection-changes', {
          params: { path: { id: environmentId }, query: { limit: 10 } },
          signal,
        }),
      ),
  });

function useReload(environmentId: string) {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: keyOf(environmentId) });
    await client.invalidateQueries({ queryKey: environmentQuery(environmentId).queryKey });
  };
}

export function useRequestProtectionChange(environmentId: string) {
  return useMutation({
    mutationFn: (body: CreateProtectionChangeRequest) =>
      answerOf(
        api.POST('/api/environments/{id}/protection-changes', { params: { path: { id: environmentId } }, body }),
      ),
    onSuccess: useReload(environmentId),
  });
}

export function useDecideProtectionChange(environmentId: string) {
  return useMutation({
    mutationFn: ({ changeId, verb }: { changeId: string; verb: 'agree' | 'reject' }) => {
      const params = { path: { id: environmentId, changeId } };
      return answerOf(
        verb === 'agree'
          ? api.POST('/api/environments/{id}/protection-changes/{changeId}/agree', { params, body: {} })
          : api.POST('/api/environments/{id}/protection-changes/{changeId}/reject', { params, body: {} }),
      );
    },
    onSuccess: useReload(environmentId),
  });
}
