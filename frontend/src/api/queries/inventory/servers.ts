import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  type Query,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type {
  BulkServersRequest,
  CreateServerRequest,
  Page,
  ProtectionState,
  Server,
  ServerSort,
  ServerState,
  UpdateServerRequest,
} from '../../types';

/** Prefix of all queries that an import or bulk change makes stale. */
export const SERVERS_QUERY_KEY = ['servers'] as const;
const KEY = SERVERS_QUERY_KEY;

export interface ServerFilters {
  q?: string;
  environmentId?: string;
  selector?: string;
  state?: ServerState[];
  enabled?: boolean;
  protection?: ProtectionState[];
  sort?: ServerSort;
}

const PAGE_SIZE = 200;
/** Maximum number of servers that the list loads. Filters find further ones. */
export const MAX_LISTED_SERVERS = 10_000;
const LIST = [...KEY, 'list'] as const;

export const serversQuery = (filters: ServerFilters) =>
  infiniteQueryOptions({
    queryKey: [...LIST, filters],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/inventory/servers', {
          params: {
            query: { ...filters, limit: PAGE_SIZE, cursor: pageParam, ...(pageParam ? {} : { count: true }) },
          },
          signal,
        }),
      ),
    ...CURSOR_PAGING,
    getNextPageParam: ({ nextCursor }, pages) =>
      pages.length * PAGE_SIZE < MAX_LISTED_SERVERS ? (nextCursor ?? undefined) : undefined,
    placeholderData: keepPreviousData,
  });

/** Maximum number of pages to refetch after a change. Longer lists stay stale until they are reopened. */
const MAX_REFETCHED_PAGES = 5;

const isLongList = ({ queryKey, state }: Query): boolean =>
  queryKey[1] === LIST[1] &&
  ((state.data as InfiniteData<unknown> | undefined)?.pages.length ?? 0) > MAX_REFETCHED_PAGES;

export function updateCachedServers(client: QueryClient, changed: readonly Server[]): void {
  const known = new Map(changed.map((server) => [server.id, server]));
  client.setQueriesData<InfiniteData<Page<Server>>>({ queryKey: LIST }, (list) =>
    list?.pages.some(({ items }) => items.some(({ id }) => known.has(id)))
      ? {
          ...list,
          pages: list.pages.map((page) =>
            page.items.some(({ id }) => known.has(id))
              ? { ...page, items: page.items.map((server) => known.get(server.id) ?? server) }
              : page,
          ),
        }
      : list,
  );
  for (const server of changed) client.setQueryData(serverQuery(server.id).queryKey, server);
}

/** The first 200 servers in an environment that match a selector. */
export const matchingServersQuery = (environmentId: string | null, selector: string) =>
  queryOptions({
    queryKey: [...KEY, 'matching', environmentId, selector],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/inventory/servers', {
          params: { query: { environmentId: environmentId ?? undefined, selector: selector || undefined, limit: 200 } },
          signal,
        }),
      ),
    enabled: environmentId !== null,
    placeholderData: keepPreviousData,
  });

export const serverQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/inventory/servers/{id}', { params: { path: { id } }, signal })),
  });

/** The first twenty servers whose name or address contains the text. */
export const serversNamedQuery = (q: string) =>
  queryOptions({
    queryKey: [...KEY, 'named', q],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/inventory/servers', { params: { query: { q: q || undefined, limit: 20 } }, signal })),
    placeholderData: keepPreviousData,
  });

export const hostKeysQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'host-keys', id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/inventory/servers/{id}/host-keys', { params: { path: { id } }, signal })),
  });

export const protectionQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'protection', id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/inventory/servers/{id}/protection', { params: { path: { id } }, signal })),
  });

/** Number of servers in an environment whose hosts are not protected yet. */
export const unprotectedQuery = (environmentId: string) =>
  queryOptions({
    queryKey: [...KEY, 'unprotected', environmentId],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/inventory/servers', {
          params: { query: { environmentId, protection: ['not_proved'], count: true, limit: 1 } },
          signal,
        }),
      ).then(({ total = 0 }) => total),
  });

/** Addresses that several machines share. Only for admins. */
export const sharedAddressesQuery = queryOptions({
  queryKey: [...KEY, 'shared-addresses'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/inventory/shared-addresses', { signal })),
});

/** Marks an address as shared by several machines. Without a reason, removes the mark. */
export function useShareAddress() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: async ({ address, reason }: { address: string; reason: string | null }) => {
      const params = { path: { address } };
      if (reason === null) await answerOf(api.DELETE('/api/inventory/shared-addresses/{address}', { params }));
      else await answerOf(api.PUT('/api/inventory/shared-addresses/{address}', { params, body: { reason } }));
    },
    onSettled: () => changed(),
  });
}

export const serverFactsQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'facts', id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/inventory/servers/{id}/facts', { params: { path: { id } }, signal })),
  });

export function useInvalidateServers() {
  const client = useQueryClient();
  return (changed?: Server | void) => {
    if (changed) updateCachedServers(client, [changed]);
    return client.invalidateQueries({ queryKey: KEY, predicate: (query) => !changed || !isLongList(query) });
  };
}

export function useCreateServer() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateServerRequest; key: string }) =>
      answerOf(api.POST('/api/inventory/servers', { body, headers: idempotent(key) })),
    onSuccess: () => changed(),
  });
}

export function useUpdateServer() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: ({ id, version, body }: { id: string; version: number; body: UpdateServerRequest }) =>
      answerOf(
        api.PATCH('/api/inventory/servers/{id}', { params: { path: { id }, header: ifVersion(version) }, body }),
      ),
    onSuccess: (server) => changed(server),
  });
}

export function useDeleteServer() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: ({ id, version }: Server) =>
      answerOf(api.DELETE('/api/inventory/servers/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: () => changed(),
  });
}

export function useAcceptHostKey() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string; fingerprint: string; confirmHosts?: true }) =>
      answerOf(api.PUT('/api/inventory/servers/{id}/host-key', { params: { path: { id } }, body })),
    onSettled: (server) => changed(server),
  });
}

/** Confirms that the server is the host at its address, or deletes its proofs and confirmations. */
export function useSetProtection() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string; confirmed: boolean; confirmHosts?: true }) =>
      answerOf(api.PUT('/api/inventory/servers/{id}/protection', { params: { path: { id } }, body })),
    onSuccess: (protection, { id }) => client.setQueryData(protectionQuery(id).queryKey, protection),
  });
}

/** Marks the accepted key of this server as shared by several machines, or removes the mark. */
export function useShareHostKey() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: ({ id, shared, reason }: { id: string; shared: boolean; reason?: string }) =>
      answerOf(
        api.PUT('/api/inventory/servers/{id}/host-key/shared', { params: { path: { id } }, body: { shared, reason } }),
      ),
    onSettled: () => changed(),
  });
}

export const usePreviewServers = () =>
  useMutation({
    mutationFn: (body: BulkServersRequest) =>
      answerOf(api.POST('/api/inventory/servers/bulk', { params: { query: { preview: 'true' } }, body })),
  });

/** Changes or deletes many servers. If one fails, changes none, unless `partial` is set. */
export function useChangeServers() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: (body: BulkServersRequest) => answerOf(api.POST('/api/inventory/servers/bulk', { body })),
    onSettled: () => changed(),
  });
}

export type ExportFormat = 'json' | 'ansible-json' | 'ssh-config';

/** Exports the servers that match the filters, as text for other tools. */
export function fetchServerExport({ sort: _, ...filters }: ServerFilters, format: ExportFormat): Promise<Blob> {
  const params = { query: { ...filters, format } };
  return answerOf<Blob>(api.GET('/api/inventory/servers/export', { params, parseAs: 'blob' }));
}
