import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../client';

/** Maximum number of records of each kind. */
const LIMIT = 5;

export interface SearchQuery {
  /** Part of a name, or for runs also a label, a note or an ID. */
  q: string;
  /** Limits servers and runs to this environment. Any plan can start in it. */
  environmentId?: string | undefined;
}

async function searchRecords({ q, environmentId }: SearchQuery, signal: AbortSignal) {
  const query = { q, limit: LIMIT, ...(environmentId && { environmentId }) };
  const [plans, servers, environments, runs] = await Promise.all([
    answerOf(api.GET('/api/plans', { params: { query: { q, limit: LIMIT } }, signal })),
    answerOf(api.GET('/api/inventory/servers', { params: { query }, signal })),
    answerOf(api.GET('/api/environments', { params: { query: { q, limit: LIMIT } }, signal })),
    answerOf(api.GET('/api/executions', { params: { query }, signal })),
  ]);
  return { plans: plans.items, servers: servers.items, environments: environments.items, runs: runs.items };
}

export type FoundRecords = Awaited<ReturnType<typeof searchRecords>>;

/** Plans, servers, environments and runs that match, up to five of each kind. */
export const recordSearchQuery = (search: SearchQuery) =>
  queryOptions({
    queryKey: ['search', search.q, search.environmentId],
    queryFn: ({ signal }) => searchRecords(search, signal),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
