import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../client';
import { BY_CURSOR } from '../paging';
import type { CreateServerRequest, Server, ServerSort, ServerState, UpdateServerRequest } from '../types';

/** Of all queries that imports and the like make stale. */
export const SERVERS_KEY = ['servers'] as const;
const KEY = SERVERS_KEY;

export interface ServerFilters {
  q?: string;
  environmentId?: string;
  selector?: string;
  state?: ServerState[];
  sort?: ServerSort;
}

export const serversQuery = (filters: ServerFilters) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/inventory/servers', { params: { query: { ...filters, cursor: pageParam } }, signal })),
    ...BY_CURSOR,
    placeholderData: keepPreviousData,
  });

/** The first 200 servers that a selector matches in an environment. */
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

/** What the host of a server told about itself. */
export const serverFactsQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'facts', id],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/inventory/servers/{id}/facts', { params: { path: { id } }, signal })),
  });

function useServersChanged() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: KEY });
}

export function useCreateServer() {
  const changed = useServersChanged();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateServerRequest; key: string }) =>
      answerOf(api.POST('/api/inventory/servers', { body, headers: idempotent(key) })),
    onSuccess: changed,
  });
}

export function useUpdateServer() {
  const changed = useServersChanged();
  return useMutation({
    mutationFn: ({ id, version, body }: { id: string; version: number; body: UpdateServerRequest }) =>
      answerOf(
        api.PATCH('/api/inventory/servers/{id}', { params: { path: { id }, header: ifVersion(version) }, body }),
      ),
    onSuccess: changed,
  });
}

export function useDeleteServer() {
  const changed = useServersChanged();
  return useMutation({
    mutationFn: ({ id, version }: Server) =>
      answerOf(api.DELETE('/api/inventory/servers/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: changed,
  });
}

/** Checks the connection; returns the server with the result. */
export function useCheckServer() {
  const changed = useServersChanged();
  return useMutation({
    mutationFn: (id: string) => answerOf(api.POST('/api/inventory/servers/{id}/check', { params: { path: { id } } })),
    onSettled: changed,
  });
}

export function useAcceptHostKey() {
  const changed = useServersChanged();
  return useMutation({
    mutationFn: ({ id, fingerprint }: { id: string; fingerprint: string }) =>
      answerOf(api.PUT('/api/inventory/servers/{id}/host-key', { params: { path: { id } }, body: { fingerprint } })),
    onSettled: changed,
  });
}

/** Marks the accepted key of this server as shared by several machines, or not. */
export function useShareHostKey() {
  const changed = useServersChanged();
  return useMutation({
    mutationFn: ({ id, shared, reason }: { id: string; shared: boolean; reason?: string }) =>
      answerOf(
        api.PUT('/api/inventory/servers/{id}/host-key/shared', { params: { path: { id } }, body: { shared, reason } }),
      ),
    onSettled: changed,
  });
}

export type ExportFormat = 'json' | 'ansible-json' | 'ssh-config';

/** The servers that the filters leave, as a text for other tools. */
export const useExportServers = () =>
  useMutation({
    mutationFn: ({ filters: { sort: _, ...filters }, format }: { filters: ServerFilters; format: ExportFormat }) =>
      answerOf<Blob>(
        api.GET('/api/inventory/servers/export', { params: { query: { ...filters, format } }, parseAs: 'blob' }),
      ),
    gcTime: 0,
  });
