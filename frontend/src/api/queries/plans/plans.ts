import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import { invalidateCollections } from './collections';
import { toProblem } from '../../errors';
import type { CreatePlanRequest, PlanSummary, RestoreRequest, UpdatePlanRequest } from '../../types';

const KEY = ['plans'] as const;

export interface PlanFilters {
  q?: string;
  environmentId?: string;
  /** Plans in this collection and its nested collections. */
  collectionId?: string;
  withoutCollection?: true;
}

export const plansQuery = (filters: PlanFilters) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/plans', { params: { query: { ...filters, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
  });

/** Up to 200 plans, for select fields. */
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

/** The current plan on the server, after someone else has changed this version. */
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
    ...CURSOR_PAGING,
  });

/** Differences between two revisions. Revisions never change, but names in them may. */
export const planDiffQuery = (id: string, from: number, to: number) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'revisions', 'diff', from, to],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/plans/{id}/revisions/{number}/diff', {
          params: { path: { id, number: to }, query: { against: from } },
          signal,
        }),
      ),
  });

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

/** Values that a start uses for variables that it does not set, and their sources. */
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
    onSuccess: () => Promise.all([client.invalidateQueries({ queryKey: KEY }), invalidateCollections(client)]),
  });
}

export function useUpdatePlan(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ version, body }: { version: number; body: UpdatePlanRequest }) =>
      answerOf(api.PATCH('/api/plans/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSuccess: (plan) => {
      client.setQueryData(planQuery(id).queryKey, plan);
      return Promise.all([client.invalidateQueries({ queryKey: KEY }), invalidateCollections(client)]);
    },
  });
}

export function useRestorePlan({ id, version }: Pick<PlanSummary, 'id' | 'version'>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: RestoreRequest) =>
      answerOf(api.POST('/api/plans/{id}/restore', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSuccess: (plan) => {
      client.setQueryData(planQuery(id).queryKey, plan);
      return client.invalidateQueries({ queryKey: KEY });
    },
    onError: (error) =>
      toProblem(error).code === 'version_mismatch' ? client.invalidateQueries({ queryKey: [...KEY, 'one', id] }) : null,
  });
}

export interface PlansMove {
  plans: readonly Pick<PlanSummary, 'id' | 'name' | 'version'>[];
  /** Null = no collection. */
  collectionId: string | null;
}

/** Moves plans one after another. @returns plans that were not moved, with the reason */
export function useMovePlans() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ plans, collectionId }: PlansMove) => {
      const refused: { id: string; name: string; error: unknown }[] = [];
      for (const { id, name, version } of plans) {
        const change = { params: { path: { id }, header: ifVersion(version) }, body: { collectionId } };
        await answerOf(api.PATCH('/api/plans/{id}', change)).catch((error: unknown) =>
          refused.push({ id, name, error }),
        );
      }
      return refused;
    },
    onSettled: () => Promise.all([client.invalidateQueries({ queryKey: KEY }), invalidateCollections(client)]),
  });
}

export function useDeletePlan() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Pick<PlanSummary, 'id' | 'version'>) =>
      answerOf(api.DELETE('/api/plans/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: (_, { id }) => {
      client.removeQueries({ queryKey: planQuery(id).queryKey });
      return Promise.all([client.invalidateQueries({ queryKey: [...KEY, 'list'] }), invalidateCollections(client)]);
    },
  });
}
