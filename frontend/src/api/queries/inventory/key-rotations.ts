import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { Page, RotateKeyRequest, RotationHost, RotationHostStatus } from '../../types';
import { KEYS_QUERY_KEY } from './keys';
import { SERVERS_QUERY_KEY } from './servers';

const KEY = ['key-rotations'] as const;
const PAGE_SIZE = 200;
/** Refetch intervals of an active rotation in ms: of one rotation, and of the list. */
const [POLL_MS, LIST_POLL_MS] = [2_000, 5_000];

export interface RotationHostFilter {
  /** Empty = all. */
  states: RotationHostStatus[];
  q: string;
}

export const rotationQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/key-rotations/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && !data.open ? false : POLL_MS),
  });

/** @param sshKeyId only rotations from or to this key */
export const rotationsQuery = (sshKeyId?: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', sshKeyId],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/key-rotations', { params: { query: { sshKeyId, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ open }) => open)) ? LIST_POLL_MS : false,
  });

const hostsPage = (id: string, { states, q }: RotationHostFilter, cursor: string | undefined, signal?: AbortSignal) =>
  answerOf(
    api.GET('/api/key-rotations/{id}/hosts', {
      params: {
        path: { id },
        query: { cursor, limit: PAGE_SIZE, q: q || undefined, ...(states.length > 0 ? { status: states } : {}) },
      },
      signal,
    }),
  );

/** State of a rotation on each host. Not refetched as a whole: `refreshHosts` refetches visible pages. */
export const rotationHostsQuery = (id: string, filter: RotationHostFilter) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'one', id, 'hosts', filter],
    queryFn: ({ pageParam, signal }) => hostsPage(id, filter, pageParam, signal),
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });

/** Refetches only pages that contain these hosts: of 50 pages for 10,000 hosts, one or two are visible. */
export async function refreshHosts(
  client: QueryClient,
  id: string,
  filter: RotationHostFilter,
  visibleIds: ReadonlySet<string>,
): Promise<void> {
  const { queryKey } = rotationHostsQuery(id, filter);
  const known = client.getQueryData(queryKey);
  for (const [index, page] of (known?.pages ?? []).entries()) {
    const last = index === (known?.pages.length ?? 0) - 1 && page.items.length < PAGE_SIZE;
    if (!last && !page.items.some(({ serverId }) => visibleIds.has(serverId))) continue;
    const cursor = known?.pageParams[index] as string | undefined;
    const fresh = await hostsPage(id, filter, cursor);
    client.setQueryData<InfiniteData<Page<RotationHost>, string | undefined>>(queryKey, (list) =>
      list?.pageParams[index] === cursor && list?.pages[index]
        ? { ...list, pages: list.pages.with(index, fresh) }
        : list,
    );
  }
}

function useInvalidateRotation() {
  const client = useQueryClient();
  return async () => {
    await Promise.all(
      [KEY, KEYS_QUERY_KEY, SERVERS_QUERY_KEY].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
}

export function useRotateKey() {
  const changed = useInvalidateRotation();
  return useMutation({
    mutationFn: ({ id, body, key }: { id: string; body: RotateKeyRequest; key: string }) =>
      answerOf(api.POST('/api/ssh-keys/{id}/rotate', { params: { path: { id } }, body, headers: idempotent(key) })),
    onSuccess: changed,
    // The request may contain an imported private key, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

/** Retries the named failed hosts, or all failed hosts. */
export function useRetryRotation(id: string) {
  const changed = useInvalidateRotation();
  return useMutation({
    mutationFn: (serverIds?: string[]) =>
      answerOf(api.POST('/api/key-rotations/{id}/retry', { params: { path: { id } }, body: { serverIds } })),
    onSettled: changed,
  });
}

/** Skips the named failed hosts, or all failed hosts. */
export function useGiveUpRotation(id: string) {
  const changed = useInvalidateRotation();
  return useMutation({
    mutationFn: ({ serverIds, comment }: { serverIds?: string[]; comment: string }) =>
      answerOf(api.POST('/api/key-rotations/{id}/give-up', { params: { path: { id } }, body: { serverIds, comment } })),
    onSettled: changed,
  });
}
