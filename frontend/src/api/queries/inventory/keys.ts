import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { CreateSshKeyRequest, SshKey } from '../../types';

/** Prefix of all queries that a rotation makes stale. */
export const KEYS_QUERY_KEY = ['ssh-keys'] as const;
const KEY = KEYS_QUERY_KEY;
/** Refetch interval in ms while a key is being rotated. */
const POLL_MS = 5_000;

export const keysQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/ssh-keys', { params: { query: { q: q || undefined, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
  });

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/ssh-keys/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.rotationId ? POLL_MS : false),
  });

/** Up to 200 keys, for select fields. */
export const keyChoicesQuery = queryOptions({
  queryKey: [...KEY, 'choices'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/ssh-keys', { params: { query: { limit: 200 } }, signal })),
  staleTime: 30_000,
});

export function useCreateKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateSshKeyRequest; key: string }) =>
      answerOf(api.POST('/api/ssh-keys', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The answer contains a generated private key, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useRenameKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ sshKey, name }: { sshKey: SshKey; name: string }) =>
      answerOf(
        api.PATCH('/api/ssh-keys/{id}', {
          params: { path: { id: sshKey.id }, header: ifVersion(sshKey.version) },
          body: { name },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useDeleteKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: SshKey) =>
      answerOf(api.DELETE('/api/ssh-keys/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function usePutCertificate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ sshKey: { id, version }, certificate }: { sshKey: SshKey; certificate: string }) =>
      answerOf(
        api.PUT('/api/ssh-keys/{id}/certificate', {
          params: { path: { id }, header: ifVersion(version) },
          body: { certificate },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useRemoveCertificate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: SshKey) =>
      answerOf(api.DELETE('/api/ssh-keys/{id}/certificate', { params: { path: { id }, header: ifVersion(version) } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
