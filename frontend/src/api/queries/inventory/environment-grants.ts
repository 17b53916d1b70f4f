import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, ifUnchanged } from '../../client';
import type { Grant, GrantLevel } from '../../types';
import { environmentQuery } from './environments';

const PAGE_SIZE = 200;

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

export interface GrantChange {
  userId: string;
  current: Grant | null;
  /** Null removes the grant. */
  level: GrantLevel | null;
}

export function useSetGrant(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ userId, current, level }: GrantChange): Promise<void> => {
      const params = { path: { id, userId }, header: ifUnchanged(current) };
      if (level) await answerOf(api.PUT('/api/environments/{id}/grants/{userId}', { params, body: { level } }));
      else await answerOf(api.DELETE('/api/environments/{id}/grants/{userId}', { params }));
    },
    // The environment also contains the caller's own grant.
    onSettled: () => client.invalidateQueries({ queryKey: environmentQuery(id).queryKey }),
  });
}
