import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../client';

const keyOf = (environmentId: string) => ['environments', 'departed-servers', environmentId] as const;

/** The newest 100 servers that left a protected environment and are still protected. */
export const departedServersQuery = (environmentId: string) =>
  queryOptions({
    queryKey: keyOf(environmentId),
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/environments/{id}/departed-servers', {
          params: { path: { id: environmentId }, query: { limit: 100 } },
          signal,
        }),
      ),
  });

interface Decision {
  departureId: string;
  verb: 'release' | 'keep';
  reason?: string;
}

export function useDecideDepartedServer(environmentId: string) {
  const client = useQueryClient();
  return useMutation({
    /** `reason` makes a release an emergency override. */
    mutationFn: async ({ departureId, verb, reason }: Decision) => {
      const params = { path: { id: environmentId, departureId } };
      const path = '/api/environments/{id}/departed-servers/{departureId}' as const;
      if (verb === 'keep') await answerOf(api.POST(`${path}/keep`, { params }));
      else await answerOf(api.POST(`${path}/release`, { params, body: reason ? { override: true, reason } : {} }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(environmentId) }),
  });
}
