import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../client';
import type { CreateScriptRequest, ScriptSummary, UpdateScriptRequest } from '../types';

const KEY = ['scripts'] as const;

export const scriptsQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/scripts', { params: { query: { q: q || undefined, cursor: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** Up to 200 scripts, for selects. */
export const scriptChoicesQuery = queryOptions({
  queryKey: [...KEY, 'choices'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/scripts', { params: { query: { limit: 200 } }, signal })),
  staleTime: 30_000,
});

export const scriptQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/scripts/{id}', { params: { path: { id } }, signal })),
  });

export const scriptRevisionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'one', id, 'revisions'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/scripts/{id}/revisions', { params: { path: { id }, query: { cursor: pageParam } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** One revision with its content, which never changes. */
export const scriptRevisionQuery = (id: string, number: number) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'revisions', number],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/scripts/{id}/revisions/{number}', { params: { path: { id, number: String(number) } }, signal }),
      ),
    staleTime: Infinity,
  });

export function useCreateScript() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateScriptRequest; key: string }) =>
      answerOf(api.POST('/api/scripts', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useUpdateScript(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ version, body }: { version: number; body: UpdateScriptRequest }) =>
      answerOf(api.PATCH('/api/scripts/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSuccess: (script) => {
      client.setQueryData(scriptQuery(id).queryKey, script);
      return client.invalidateQueries({ queryKey: KEY });
    },
  });
}

export function useDeleteScript() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Pick<ScriptSummary, 'id' | 'version'>) =>
      answerOf(api.DELETE('/api/scripts/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: (_, { id }) => {
      client.removeQueries({ queryKey: scriptQuery(id).queryKey });
      return client.invalidateQueries({ queryKey: [...KEY, 'list'] });
    },
  });
}
