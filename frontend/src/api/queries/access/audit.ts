import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import { CURSOR_PAGING, fetchNonEmptyPage } from '../../paging';
import type { AuditLog } from '../../types';

const KEY = ['audit'] as const;

export interface AuditFilters {
  actorId?: string;
  action?: string;
  resourceType?: string;
  resourceId?: string;
  /** Earliest time, inclusive, as ISO 8601. */
  from?: string;
  /** Latest time, exclusive, as ISO 8601. */
  to?: string;
}

export const auditQuery = (filters: AuditFilters) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      fetchNonEmptyPage(pageParam, (cursor) =>
        answerOf(api.GET('/api/audit-logs', { params: { query: { ...filters, cursor } }, signal })),
      ),
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
  });

const CHANGED_TYPES = ['plan', 'environment', 'ssh_key', 'schedule'] as const;
const MAX_CHANGES = 8;

/** Latest changes of plans, environments with their grants, keys and schedules, newest first. */
export const latestChangesQuery = queryOptions({
  queryKey: [...KEY, 'latest-changes'],
  queryFn: async ({ signal }) => {
    const pages = await Promise.all(
      CHANGED_TYPES.map((resourceType) =>
        answerOf(api.GET('/api/audit-logs', { params: { query: { resourceType, limit: MAX_CHANGES } }, signal })),
      ),
    );
    return pages
      .flatMap(({ items }) => items)
      .toSorted((a, b) => b.sequence - a.sequence)
      .slice(0, MAX_CHANGES);
  },
});

const LIMIT = 200;

/** Finds one entry by its ID and time; null = it does not exist. */
export const auditEntryQuery = (id: string, at: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: async ({ signal }): Promise<AuditLog | null> => {
      const from = new Date(at);
      const to = new Date(from.getTime() + 1);
      const query = { from: from.toISOString(), to: to.toISOString(), limit: LIMIT };
      const page = await fetchNonEmptyPage(undefined, (cursor) =>
        answerOf(api.GET('/api/audit-logs', { params: { query: { ...query, cursor } }, signal })),
      );
      return page.items.find((entry) => entry.id === id) ?? null;
    },
    // An entry never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useVerifyAudit = () => useMutation({ mutationFn: () => answerOf(api.GET('/api/audit-logs/verify', {})) });

export const useExportAudit = () =>
  useMutation({
    mutationFn: (filters: AuditFilters) =>
      answerOf<Blob>(
        api.GET('/api/audit-logs/export', {
          params: { query: filters },
          headers: { Accept: 'application/x-ndjson' },
          parseAs: 'blob',
        }),
      ),
    gcTime: 0,
  });
