import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../client';

/** All bookmarks of the signed-in member, by name. A member has at most 200. */
export const bookmarksQuery = queryOptions({
  queryKey: ['bookmarks'],
  queryFn: ({ signal }) =>
    answerOf(api.GET('/api/bookmarks', { params: { query: { sort: 'name', limit: 200 } }, signal })),
  staleTime: 60_000,
});

export function useCreateBookmark() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; path: string }) => answerOf(api.POST('/api/bookmarks', { body })),
    onSettled: () => client.invalidateQueries(bookmarksQuery),
  });
}

export function useDeleteBookmark() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answerOf(api.DELETE('/api/bookmarks/{id}', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries(bookmarksQuery),
  });
}
