import { infiniteQueryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import { CURSOR_PAGING } from '../../paging';

/** @param latest ID of the newest sync, as part of the query key */
export const planSyncsQuery = (gitSourceId: string, latest: string | null) =>
  infiniteQueryOptions({
    queryKey: ['git-sources', 'plan-syncs', gitSourceId, latest],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/git-sources/{id}/plan-syncs', {
          params: { path: { id: gitSourceId }, query: { limit: 10, cursor: pageParam } },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
  });
