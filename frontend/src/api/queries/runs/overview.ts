import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import type { MatrixQuery, TrendsQuery } from '../../types';

/** Below `executions`, so that a start, a decision and a rerun refresh these queries too. */
const KEY = ['executions', 'overview'] as const;

export const overviewQuery = queryOptions({
  queryKey: [...KEY, 'now'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/overview', { signal })),
});

export const environmentOverviewsQuery = (q: string, limit: number) =>
  queryOptions({
    queryKey: [...KEY, 'environments', q, limit],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/overview/environments', { params: { query: { limit, ...(q ? { q } : {}) } }, signal })),
    placeholderData: keepPreviousData,
  });

export const environmentOverviewQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'environment', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/overview/environments/{id}', { params: { path: { id } }, signal })),
  });

/** Runs, results and changes of a server. */
export const serverHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'server', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/overview/servers/{id}', { params: { path: { id } }, signal })),
  });

export const resultMatrixQuery = (query: MatrixQuery) =>
  queryOptions({
    queryKey: [...KEY, 'matrix', query],
    queryFn: ({ signal }) => answerOf(api.GET('/api/overview/matrix', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const runTrendsQuery = (query: TrendsQuery) =>
  queryOptions({
    queryKey: [...KEY, 'trends', query],
    queryFn: ({ signal }) => answerOf(api.GET('/api/overview/trends', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
