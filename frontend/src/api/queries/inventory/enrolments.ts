import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { CreateEnrolmentRequest, Enrolment } from '../../types';
import { SERVERS_QUERY_KEY } from './servers';

const KEY = ['enrolments'] as const;
/** Refetch intervals in ms while a host may still enrol: of one enrolment, and of the list. */
const [POLL_MS, LIST_POLL_MS] = [2_000, 5_000];

export const mayChange = ({ state, login }: Pick<Enrolment, 'state' | 'login'>): boolean =>
  state === 'open' || (state === 'used' && login?.state !== 'reachable');

export const enrolmentQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: async ({ signal, client, queryKey }) => {
      const before = client.getQueryData<Enrolment>(queryKey);
      const found = await answerOf(api.GET('/api/inventory/enrolments/{id}', { params: { path: { id } }, signal }));
      if (found.server && found.login?.at !== before?.login?.at)
        void client.invalidateQueries({ queryKey: SERVERS_QUERY_KEY });
      return found;
    },
    refetchInterval: ({ state: { data } }) => (data && !mayChange(data) ? false : POLL_MS),
  });

/** @param open true = only enrolments that a host may still use */
export const enrolmentsQuery = (open: boolean) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', open],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/inventory/enrolments', {
          params: { query: { cursor: pageParam, ...(open ? { state: ['open' as const] } : {}) } },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ state }) => state === 'open')) ? LIST_POLL_MS : false,
  });

export function useCreateEnrolment() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateEnrolmentRequest; key: string }) =>
      answerOf(api.POST('/api/inventory/enrolments', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The answer contains the token, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useRevokeEnrolment() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE('/api/inventory/enrolments/{id}', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
