import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type {
  CreateScheduleRequest,
  OccurrencesQuery,
  PreviewScheduleRequest,
  Schedule,
  ScheduleSummary,
  UpdateScheduleRequest,
} from '../../types';

const KEY = ['schedules'] as const;
/** Refetch interval in ms. Needed because occurrences happen without a request of the page. */
const REFRESH_MS = 15_000;

export interface ScheduleFilters {
  q?: string;
  planId?: string;
  environmentId?: string;
}

export const schedulesQuery = (filters: ScheduleFilters) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/schedules', { params: { query: { ...filters, sort: 'name', cursor: pageParam } }, signal }),
      ),
    ...CURSOR_PAGING,
    refetchInterval: REFRESH_MS,
  });

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/schedules/{id}', { params: { path: { id } }, signal })),
    refetchInterval: REFRESH_MS,
  });

export const scheduleFiresQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'fires', id],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/schedules/{id}/fires', { params: { path: { id }, query: { cursor: pageParam } }, signal }),
      ),
    ...CURSOR_PAGING,
    refetchInterval: REFRESH_MS,
  });

/** Past and coming occurrences of schedules in a period. */
export const occurrencesQuery = (query: OccurrencesQuery) =>
  queryOptions({
    queryKey: [...KEY, 'occurrences', query],
    queryFn: ({ signal }) => answerOf(api.GET('/api/schedules/occurrences', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const schedulePreviewQuery = (timing: PreviewScheduleRequest) =>
  queryOptions({
    queryKey: [...KEY, 'preview', timing],
    queryFn: ({ signal }) => answerOf(api.POST('/api/schedules/preview', { body: timing, signal })),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });

export function useCreateSchedule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateScheduleRequest; key: string }) =>
      answerOf(api.POST('/api/schedules', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The request may contain a secret, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useUpdateSchedule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ schedule: { id, version }, body }: { schedule: ScheduleSummary; body: UpdateScheduleRequest }) =>
      answerOf(api.PATCH('/api/schedules/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
    gcTime: 0,
  });
}

export function useTakeOverSchedule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Schedule) => answerOf(api.POST('/api/schedules/{id}/take-over', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useDeleteSchedule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Schedule) =>
      answerOf(api.DELETE('/api/schedules/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: () => client.invalidateQueries({ queryKey: [...KEY, 'list'] }),
  });
}
