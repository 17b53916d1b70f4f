import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { CreateServiceAccountRequest, ServiceAccount, UpdateServiceAccountRequest } from '../../types';

const KEY = ['service-accounts'] as const;
/** Service accounts are members too. */
const MEMBERS = ['members'] as const;

export const serviceAccountsQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/service-accounts', { params: { query: { q: q || undefined, cursor: pageParam } }, signal }),
      ),
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
  });

/** Refetched for each dialog, because `waitingRuns` changes with every start. */
export const serviceAccountQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/service-accounts/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
  });

function useInvalidateAccounts() {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: KEY });
    await client.invalidateQueries({ queryKey: MEMBERS });
  };
}

export function useCreateServiceAccount() {
  const changed = useInvalidateAccounts();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateServiceAccountRequest; key: string }) =>
      answerOf(api.POST('/api/service-accounts', { body, headers: idempotent(key) })),
    onSuccess: changed,
  });
}

export function useUpdateServiceAccount() {
  const changed = useInvalidateAccounts();
  return useMutation({
    mutationFn: ({
      account,
      body,
    }: {
      account: Pick<ServiceAccount, 'id' | 'version'>;
      body: UpdateServiceAccountRequest;
    }) =>
      answerOf(
        api.PATCH('/api/service-accounts/{id}', {
          params: { path: { id: account.id }, header: ifVersion(account.version) },
          body,
        }),
      ),
    onSettled: changed,
  });
}

export function useRemoveServiceAccount() {
  const changed = useInvalidateAccounts();
  return useMutation({
    mutationFn: ({ id, version }: Pick<ServiceAccount, 'id' | 'version'>) =>
      answerOf(api.DELETE('/api/service-accounts/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSettled: changed,
  });
}
