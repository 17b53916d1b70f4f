import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  skipToken,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent } from '../../client';
import { CURSOR_PAGING, fetchNonEmptyPage } from '../../paging';
import { appendGrid } from './result-grid';
import type {
  CancelRunsRequest,
  Execution,
  ResultGrid,
  RunListQuery,
  StartExecutionRequest,
  Verdict,
} from '../../types';

const KEY = ['executions'] as const;
const PAGE_SIZE = 200;

export const executionsQuery = (filters: RunListQuery) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      fetchNonEmptyPage(pageParam, (cursor) =>
        answerOf(api.GET('/api/executions', { params: { query: { ...filters, cursor } }, signal })),
      ),
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
  });

export const latestExecutionsQuery = (filters: RunListQuery, limit: number) =>
  queryOptions({
    queryKey: [...KEY, 'latest', filters, limit],
    queryFn: ({ signal }) => answerOf(api.GET('/api/executions', { params: { query: { ...filters, limit } }, signal })),
  });

export const awaitingMeQuery = latestExecutionsQuery({ awaiting: 'me' }, 50);

/** Maximum number of reruns that the page of a run names. */
export const MAX_RERUNS = 20;

/** Latest reruns of a run. */
export const rerunsQuery = (id: string) => latestExecutionsQuery({ parentId: id }, MAX_RERUNS);

/** A run. Never becomes stale once it is finished and every result is known, because then it cannot change. */
export const executionQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/executions/{id}', { params: { path: { id } }, signal })),
    staleTime: (query) => (hasFinished(query.state.data) ? Number.POSITIVE_INFINITY : 0),
  });

const hasFinished = (run: Execution | undefined): boolean =>
  run !== undefined && run.finished && run.unknownHosts.length === 0 && run.forecast === null;

/** Hosts of the first answer. It arrives much earlier than the rest of a large run. */
const FIRST_HOSTS = 500;

/** Results of the first hosts of a run, as soon as `resultGridQuery` has read them. */
export const firstResultsQuery = (id: string) =>
  queryOptions<ResultGrid>({
    queryKey: [...KEY, 'first-results', id],
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Hosts and results of the whole run in compact form. */
export const resultGridQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'grid'],
    queryFn: async ({ signal, client }) => {
      const read = (query: { fromHost?: number; limit?: number }) =>
        answerOf(api.GET('/api/executions/{id}/results/grid', { params: { path: { id }, query }, signal }));
      let grid = await read({ limit: FIRST_HOSTS });
      if (grid.nextHost !== null) client.setQueryData(firstResultsQuery(id).queryKey, grid);
      while (grid.nextHost !== null) grid = appendGrid(grid, await read({ fromHost: grid.nextHost }));
      return grid;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Part of the keys of all queries for results of single hosts. */
export const resultsKey = (id: string) => [...KEY, 'one', id, 'results'] as const;

const REFRESH_MS = 5_000;

/** Results of a step, slowest first. @param isFinal whether they can no longer change */
export const slowestResultsQuery = (id: string, stepKey: string, isFinal: boolean) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'one', id, 'slowest', stepKey],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/executions/{id}/results', {
          params: {
            path: { id },
            query: { stepKey, sort: '-durationMs', cursor: pageParam, limit: PAGE_SIZE },
          },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
    refetchInterval: isFinal ? false : REFRESH_MS,
  });

/**
 * Failures of a run by cause.
 * @param failures number of failed hosts: a new one changes the causes
 */
export const failureCausesQuery = (id: string, failures: number) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'failure-causes', failures],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/executions/{id}/failure-causes', { params: { path: { id } }, signal })),
    placeholderData: keepPreviousData,
  });

/**
 * Predictions of a dry run. Hosts with the same prediction for a step are one item.
 * @param count number of predictions for single hosts: a new one changes the list
 */
export const predictionsQuery = (id: string, verdict: Verdict | undefined, count: number) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'one', id, 'predictions', verdict ?? 'all', count],
    queryFn: ({ pageParam, signal }) => {
      const query = { verdict: verdict && [verdict], cursor: pageParam };
      return answerOf(api.GET('/api/executions/{id}/predictions', { params: { path: { id }, query }, signal }));
    },
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
  });

/** Result of one step on one host; null if there is none yet. */
export const cellResultQuery = (id: string, stepKey: string, serverId: string) =>
  queryOptions({
    queryKey: [...resultsKey(id), stepKey, serverId],
    queryFn: async ({ signal }) => {
      const query = { stepKey, serverId, limit: 1 };
      const page = await answerOf(api.GET('/api/executions/{id}/results', { params: { path: { id }, query }, signal }));
      return page.items[0] ?? null;
    },
  });

export interface OutputFilters {
  stepKey?: string;
  serverId?: string;
  stream?: 'stdout' | 'stderr';
  q?: string;
}

export type WindowFilters = Omit<OutputFilters, 'q'>;
export type SearchFilters = WindowFilters & { q: string; regex?: boolean; matchCase?: boolean };

/** Hits of a search in the part of the output after a cursor, by host and step. */
export const fetchHitCounts = (id: string, filters: SearchFilters, after: string | null, signal: AbortSignal) =>
  answerOf(
    api.GET('/api/executions/{id}/output/hits/counts', {
      params: { path: { id }, query: { ...filters, after: after ?? undefined } },
      signal,
    }),
  );

/** Hits of a search, each with a line before and after. A page may be empty although more follow. */
export const fetchHits = (id: string, filters: SearchFilters, after: string | null) =>
  answerOf(
    api.GET('/api/executions/{id}/output/hits', {
      params: { path: { id }, query: { ...filters, after: after ?? undefined } },
    }),
  );

/** Part of an output: lines from or before a position, around it, or the last lines. */
export type LogPlace = { from: number } | { before: number } | { around: number } | { tail: number };

export const fetchOutputWindow = (
  id: string,
  filters: WindowFilters,
  place: LogPlace,
  limit: number,
  signal?: AbortSignal,
) =>
  answerOf(
    api.GET('/api/executions/{id}/output/window', {
      params: { path: { id }, query: { ...filters, ...place, limit } },
      signal,
    }),
  );

/** Step, host and line at a position in the output of the run; null = no line has it. */
export const linePlaceQuery = (id: string, position: number | undefined) =>
  queryOptions({
    queryKey: [...KEY, 'line-place', id, position],
    queryFn: async ({ signal }) => {
      const { steps, hosts, blocks } = await fetchOutputWindow(id, {}, { from: position ?? 1 }, 1, signal);
      const block = blocks[0];
      const host = block && hosts[block.host];
      if (!block || !host || block.position !== position) return null;
      return {
        stepKey: steps[block.step] ?? '',
        serverId: host.serverId,
        serverName: host.serverName,
        line: block.line,
      };
    },
    enabled: position !== undefined,
    staleTime: Infinity,
  });

/** Position in the output of the run of the last line that a failed host wrote; null = it wrote none. */
export const failurePositionQuery = (id: string, failure: Execution['summary']['firstFailure']) =>
  queryOptions({
    queryKey: [...KEY, 'failure-position', id, failure?.stepKey, failure?.serverId],
    queryFn: async ({ signal }) => {
      const { stepKey, serverId } = failure ?? {};
      const { blocks } = await fetchOutputWindow(id, { stepKey, serverId }, { tail: 1 }, 1, signal);
      return blocks[0]?.runPosition ?? null;
    },
  });

export function useStartExecution() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: StartExecutionRequest; key: string }) =>
      answerOf(api.POST('/api/executions', { body, headers: idempotent(key) })),
    onSuccess: (run) => {
      client.setQueryData(executionQuery(run.id).queryKey, run);
      return client.invalidateQueries({ queryKey: KEY, predicate: ({ queryKey }) => queryKey[1] !== 'one' });
    },
  });
}

export function useCancelExecution(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (reason: string) =>
      answerOf(api.POST('/api/executions/{id}/cancel', { params: { path: { id } }, body: reason ? { reason } : {} })),
    onSuccess: (run: Execution) => client.setQueryData(executionQuery(id).queryKey, run),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

/** Cancels the newest 100 unfinished runs that match. */
export function useCancelExecutions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: CancelRunsRequest) => answerOf(api.POST('/api/executions/cancel', { body })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export type OutputForm = 'text' | 'ndjson';

/** Fetches all output that matches the filters. Needs an `Accept` header, which a link cannot send. */
export async function fetchOutputFile(id: string, filters: OutputFilters, form: OutputForm): Promise<Blob> {
  const call = api.GET('/api/executions/{id}/output', {
    params: { path: { id }, query: filters },
    headers: { Accept: form === 'text' ? 'text/plain' : 'application/x-ndjson' },
    parseAs: 'blob',
  });
  return answerOf<Blob>(call);
}
