import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { answerOf, api } from '../../client';
import type { Server } from '../../types';
import { type ServerFilters, updateCachedServers, useInvalidateServers } from './servers';

const PAGE_SIZE = 200;

export function useCheckServer() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: (id: string) => answerOf(api.POST('/api/inventory/servers/{id}/check', { params: { path: { id } } })),
    onSettled: (server) => changed(server),
  });
}

/** Diagnoses the connection step by step, as a run would connect. The result becomes the server's last check. */
export function useDiagnoseServer() {
  const changed = useInvalidateServers();
  return useMutation({
    mutationFn: (id: string) =>
      answerOf(api.POST('/api/inventory/servers/{id}/diagnose', { params: { path: { id } } })),
    onSettled: () => changed(),
  });
}

/** Checks a server without mutation state in the component; the lists show the result. */
export function useServerCheck(): (id: string) => Promise<Server> {
  const client = useQueryClient();
  return useCallback(
    async (id) => {
      const found = await answerOf(api.POST('/api/inventory/servers/{id}/check', { params: { path: { id } } }));
      updateCachedServers(client, [found]);
      return found;
    },
    [client],
  );
}

/** Asks workers to check these servers first. The whole request fails if one server was deleted. */
export const requestChecks = (ids: string[], signal: AbortSignal) =>
  answerOf(api.POST('/api/inventory/servers/checks', { body: { ids }, signal }));

/** Fetches all servers that match the filters, also those that no list has loaded. */
export async function fetchAllServers(filters: ServerFilters, signal: AbortSignal): Promise<Server[]> {
  const found: Server[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filters, limit: PAGE_SIZE, cursor };
    const page = await answerOf(api.GET('/api/inventory/servers', { params: { query }, signal }));
    found.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return found;
}

/** Fetches the servers that were checked since a time, whether they match filters or not. */
export async function checkedSince(since: string, signal: AbortSignal): Promise<Server[]> {
  const found: Server[] = [];
  let cursor: string | undefined;
  do {
    const query = { sort: '-checkedAt' as const, limit: PAGE_SIZE, cursor };
    const page = await answerOf(api.GET('/api/inventory/servers', { params: { query }, signal }));
    const fresh = page.items.filter(({ checkedAt }) => checkedAt !== null && checkedAt > since);
    found.push(...fresh);
    cursor = fresh.length === page.items.length ? (page.nextCursor ?? undefined) : undefined;
  } while (cursor);
  return found;
}
