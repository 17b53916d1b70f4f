import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../client';
import { BY_CURSOR } from '../paging';
import type { CreatePlanRequest, PlanSummary, UpdatePlanRequest } from '../types';

const KEY = ['plans'] as const;

export const plansQuery = (filters: { q?: string; environmentId?: string }) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/plans', { params: { query: { ...filters, cursor: pageParam } }, signal })),
    ...BY_CURSOR,
    placeholderData: keepPreviousData,
  });

/** Up to 200 plans, for selects. */
export const planChoicesQuery = queryOptions({
  queryKey: [...KEY, 'choices'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/plans', { params: { query: { limit: 200 } }, signal })),
  staleTime: 30_000,
});

export const planQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/plans/{id}', { params: { path: { id } }, signal })),
  });

/** The plan as it is on the server after somebody else has changed this version. */
export const newerPlanQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'newer', version],
    queryFn: ({ signal }) => answerOf(api.GET('/api/plans/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
  });

export const planRevisionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'one', id, 'revisions'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/plans/{id}/revisions', { params: { path: { id }, query: { cursor: pageParam } }, signal }),
      ),
    ...BY_CURSOR,
  });

/** The hosts that a start would target. */
export const targetsPreviewQuery = (id: string, environmentId: string | null, targets: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'targets', environmentId, targets],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/api/plans/{id}/targets', {
          params: { path: { id } },
          body: { environmentId: environmentId ?? undefined, targets: targets || undefined },
          signal,
        }),
      ),
    enabled: environmentId !== null,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The values of variables that a start sets no value for, and where they come from. */
export const planVariablesQuery = (id: string, environmentId: string | null) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'variables', environmentId],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/plans/{id}/variables', {
          params: { path: { id }, query: { environmentId: environmentId ?? undefined } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });

export function useCreatePlan() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreatePlanRequest; key: string }) =>
      answerOf(api.POST('/api/plans', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useUpdatePlan(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ version, body }: { version: number; body: UpdatePlanRequest }) =>
      answerOf(api.PATCH('/api/plans/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSuccess: (plan) => {
      client.setQueryData(planQuery(id).queryKey, plan);
      return client.invalidateQueries({ queryKey: KEY });
    },
  });
}

export function useDeletePlan() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Pick<PlanSummary, 'id' | 'version'>) =>
      answerOf(api.DELETE('/api/plans/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: (_, { id }) => {
      client.removeQueries({ queryKey: planQuery(id).queryKey });
      return client.invalidateQueries({ queryKey: [...KEY, 'list'] });
    },
  });
}
