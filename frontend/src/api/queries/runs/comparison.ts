import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import { fetchOutputWindow, type LogPlace } from './executions';

/** Below the queries of the run, which are not fetched again after it was deleted. */
const KEY = ['executions', 'one'] as const;

/**
 * A run compared with an earlier one.
 * @param withId ID of the earlier run; undefined = the last success of its plan in its environment
 */
export const comparisonQuery = (id: string, withId: string | undefined) =>
  queryOptions({
    queryKey: [...KEY, id, 'comparison', withId],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/executions/{id}/comparison', { params: { path: { id }, query: { with: withId } }, signal }),
      ),
    placeholderData: keepPreviousData,
  });

/** The comparison with the last success, without texts. Its content is frozen when the run starts. */
export const comparisonSummaryQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id, 'comparison-summary'],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/executions/{id}/comparison', { params: { path: { id }, query: { texts: false } }, signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Median duration of a step on a host, or of the whole run, in earlier successful runs. */
export const usualDurationQuery = (id: string, stepKey: string | undefined) =>
  queryOptions({
    queryKey: [...KEY, id, 'usual-duration', stepKey],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/executions/{id}/usual-duration', { params: { path: { id }, query: { stepKey } }, signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const comparedHostsQuery = (
  id: string,
  filters: { with: string | undefined; stepKey: string | undefined; q: string | undefined },
) =>
  queryOptions({
    queryKey: [...KEY, id, 'compared-hosts', filters],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/executions/{id}/comparison/hosts', { params: { path: { id }, query: filters }, signal })),
    placeholderData: keepPreviousData,
  });

/** Number of lines that are compared side by side. */
export const OUTPUT_PART_LINES = 500;

/** Part of the output of one step on one host. */
export const outputPartQuery = (
  id: string,
  { stepKey, serverId, place }: { stepKey: string; serverId: string; place: LogPlace },
) =>
  queryOptions({
    queryKey: [...KEY, id, 'compared-output', stepKey, serverId, place],
    queryFn: ({ signal }) => fetchOutputWindow(id, { stepKey, serverId }, place, OUTPUT_PART_LINES, signal),
    placeholderData: keepPreviousData,
  });
