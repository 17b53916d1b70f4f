import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../client';

const keyOf = (environmentId: string) => ['environments', 'departed-servers', environmentId] as const;

/** Servers that left a protected environment and still count there: the first hundred, the newest first. */
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

export function useDecideDepartedServer(environmentId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ departureId, verb }: { departureId: string; verb: 'release' | 'keep' }) => {
      const params = { path: { id: environmentId, departureId } };
      const path = '/api/environments/{id}/departed-servers/{departureId}' as const;
      if (verb === 'keep') await answerOf(api.POST(`${path}/keep`, { params }));
      else await answerOf(api.POST(`${path}/release`, { params, body: {} }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: keyOf(environmentId) }),
  });
}
