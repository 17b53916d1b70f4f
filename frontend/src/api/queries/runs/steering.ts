import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent } from '../../client';
import type {
  DecideExecutionRequest,
  Execution,
  RerunExecutionRequest,
  ResolveHostRequest,
  RunMode,
} from '../../types';
import { executionQuery, resultsKey } from './executions';

const KEY = ['executions'] as const;

/** Evidence for an approval or a decision. Refetched only on request: it must not change while a person reads it. */
export const reviewQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'review'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/executions/{id}/review', { params: { path: { id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** People who may act on a run. @param state changes with what the run waits for */
export const runPermissionsQuery = (id: string, state: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'permissions', state],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/executions/{id}/permissions', { params: { path: { id } }, signal })),
    staleTime: 60_000,
  });

/** Answers to the pauses of a run. */
export const pauseAnswersQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'decisions'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/executions/{id}/decisions', { params: { path: { id } }, signal })),
  });

/** Sends a request, stores the run that it returns in the cache, and invalidates the lists. */
function useSteering<T>(id: string, send: (input: T) => Promise<Execution>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (run) => client.setQueryData(executionQuery(id).queryKey, run),
    // Also after a refusal, because the cached run was stale.
    onSettled: () => invalidateRun(client, id),
  });
}

const invalidateRun = (client: QueryClient, id: string) =>
  Promise.all([
    client.invalidateQueries({ queryKey: executionQuery(id).queryKey, exact: true }),
    client.invalidateQueries({ queryKey: KEY, predicate: ({ queryKey }) => queryKey[1] !== 'one' }),
  ]);

const at = (id: string) => ({ path: { id } });

export const useApprove = (id: string) =>
  useSteering(id, (body: { digest: string; comment?: string }) =>
    answerOf(api.POST('/api/executions/{id}/approve', { params: at(id), body })),
  );

export const useReject = (id: string) =>
  useSteering(id, (body: { digest: string; comment: string }) =>
    answerOf(api.POST('/api/executions/{id}/reject', { params: at(id), body })),
  );

export const useWithdraw = (id: string) =>
  useSteering<void>(id, () => answerOf(api.POST('/api/executions/{id}/withdraw-approval', { params: at(id) })));

export const useDecide = (id: string) =>
  useSteering(id, (body: DecideExecutionRequest) =>
    answerOf(api.POST('/api/executions/{id}/decisions', { params: at(id), body })),
  );

export const usePause = (id: string) =>
  useSteering<void>(id, () => answerOf(api.POST('/api/executions/{id}/pause', { params: at(id) })));

export const useOverrideFreeze = (id: string) =>
  useSteering(id, (reason: string) =>
    answerOf(api.POST('/api/executions/{id}/freeze-override', { params: at(id), body: { reason } })),
  );

export const useOverrideWindow = (id: string) =>
  useSteering(id, (reason: string) =>
    answerOf(api.POST('/api/executions/{id}/window-override', { params: at(id), body: { reason } })),
  );

/** Pins the run with a note; without a note, unpins it. */
export const usePin = (id: string) =>
  useSteering(id, (note: string | null) =>
    note === null
      ? answerOf(api.DELETE('/api/executions/{id}/pin', { params: at(id) }))
      : answerOf(api.PUT('/api/executions/{id}/pin', { params: at(id), body: note ? { note } : {} })),
  );

/** Sets a legal hold with a reason. Without a reason, ends a request to lift the hold. */
export const useLegalHold = (id: string) =>
  useSteering(id, (note: string | void) =>
    answerOf(
      api.PUT('/api/executions/{id}/pin', { params: at(id), body: { legalHold: true, ...(note ? { note } : {}) } }),
    ),
  );

export function useDeleteExecution(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(api.DELETE('/api/executions/{id}', { params: at(id) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY, predicate: ({ queryKey }) => queryKey[1] !== 'one' }),
  });
}

export const useSwitchMode = (id: string) =>
  useSteering(id, (mode: RunMode) =>
    answerOf(api.POST('/api/executions/{id}/mode', { params: at(id), body: { execution_mode: mode } })),
  );

/** What a rerun would do. The request starts nothing. */
export const rerunPreviewQuery = (id: string, body: RerunExecutionRequest) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'rerun', body],
    queryFn: ({ signal }) => answerOf(api.POST('/api/executions/{id}/rerun/preview', { params: at(id), body, signal })),
    staleTime: 0,
  });

/** Reruns a finished run and returns the new run. */
export function useRerun(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: RerunExecutionRequest; key: string }) =>
      answerOf(api.POST('/api/executions/{id}/rerun', { params: at(id), body, headers: idempotent(key) })),
    onSuccess: (run) => {
      client.setQueryData(executionQuery(run.id).queryKey, run);
      return invalidateRun(client, id);
    },
  });
}

export interface Resolution {
  serverId: string;
  body: ResolveHostRequest;
}

/** Resolves a host whose result is unknown. `run_again` returns the new run, any other action this run. */
export function useResolveHost(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ serverId, body }: Resolution) =>
      answerOf(api.POST('/api/executions/{id}/hosts/{serverId}/resolve', { params: { path: { id, serverId } }, body })),
    onSuccess: (run) => client.setQueryData(executionQuery(run.id).queryKey, run),
    onSettled: () => Promise.all([invalidateRun(client, id), client.invalidateQueries({ queryKey: resultsKey(id) })]),
  });
}
