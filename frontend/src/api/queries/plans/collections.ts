import { queryOptions, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import type { Collection, CreateCollectionRequest, UpdateCollectionRequest } from '../../types';

const KEY = ['collections'] as const;
const PAGE_SIZE = 200;
/** Refetch interval in ms. Needed because freezes begin and end at set times. */
const STALE_MS = 30_000;

/** All collections of the tenant, by name. A tenant has at most 1,000. */
export const collectionsQuery = queryOptions({
  queryKey: [...KEY, 'all'],
  queryFn: async ({ signal }) => {
    const found: Collection[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: PAGE_SIZE, cursor };
      const page = await answerOf(api.GET('/api/collections', { params: { query }, signal }));
      found.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  },
  staleTime: STALE_MS,
});

/** Call this after plans were added, moved or deleted: collections contain the number of their plans. */
export const invalidateCollections = (client: QueryClient) => client.invalidateQueries({ queryKey: KEY });

export const refreshFreezes = (client: QueryClient) =>
  Promise.all([invalidateCollections(client), client.invalidateQueries({ queryKey: ['plans'] })]);

export function useCreateCollection() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateCollectionRequest; key: string }) =>
      answerOf(api.POST('/api/collections', { body, headers: idempotent(key) })),
    onSuccess: () => invalidateCollections(client),
  });
}

export interface CollectionChange {
  collection: Pick<Collection, 'id' | 'version'>;
  body: UpdateCollectionRequest;
}

export function useUpdateCollection() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ collection: { id, version }, body }: CollectionChange) =>
      answerOf(api.PATCH('/api/collections/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    // Also after a refusal, because the displayed state may be stale.
    onSettled: () => refreshFreezes(client),
  });
}

export function useDeleteCollection() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Pick<Collection, 'id' | 'version'>) =>
      answerOf(api.DELETE('/api/collections/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSettled: () => invalidateCollections(client),
  });
}
