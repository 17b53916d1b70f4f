import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import type { CreateProtectionChangeRequest } from '../../types';
import { environmentQuery } from './environments';

const KEY = ['environments', 'protection-changes'] as const;
const keyOf = (environmentId: string) => [...KEY, environmentId] as const;

/** Open changes that the user can put into effect now, in all environments; at most 50. */
export const awaitingChangesQuery = queryOptions({
  queryKey: [...KEY, 'awaiting'],
  queryFn: ({ signal }) =>
    answerOf(api.GET('/api/protection-changes', { params: { query: { awaiting: 'me', limit: 50 } }, signal })),
});

/** Latest ten changes that weaken the protection of an environment, newest first. */
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

function useInvalidateChanges(environmentId: string) {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: KEY });
    await client.invalidateQueries({ queryKey: environmentQuery(environmentId).queryKey });
  };
}

export function useRequestProtectionChange(environmentId: string) {
  return useMutation({
    mutationFn: (body: CreateProtectionChangeRequest) =>
      answerOf(
        api.POST('/api/environments/{id}/protection-changes', { params: { path: { id: environmentId } }, body }),
      ),
    onSuccess: useInvalidateChanges(environmentId),
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
    onSuccess: useInvalidateChanges(environmentId),
  });
}
