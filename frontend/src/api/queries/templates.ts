import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../client';
import type { CreateTemplateRequest, RenderTemplateRequest, TemplateSummary, UpdateTemplateRequest } from '../types';

const KEY = ['templates'] as const;

export const templatesQuery = (q = '') =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/templates', { params: { query: { q: q || undefined, cursor: pageParam } }, signal })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** Up to 200 templates, for selects. */
export const templateChoicesQuery = queryOptions({
  queryKey: [...KEY, 'choices'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/templates', { params: { query: { limit: 200 } }, signal })),
  staleTime: 30_000,
});

export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/templates/{id}', { params: { path: { id } }, signal })),
  });

export const templateRevisionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'one', id, 'revisions'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        api.GET('/api/templates/{id}/revisions', { params: { path: { id }, query: { cursor: pageParam } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** One revision with its content, which never changes. */
export const templateRevisionQuery = (id: string, number: number) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'revisions', number],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/templates/{id}/revisions/{number}', { params: { path: { id, number: String(number) } }, signal }),
      ),
    staleTime: Infinity,
  });

export function useCreateTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateTemplateRequest; key: string }) =>
      answerOf(api.POST('/api/templates', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useUpdateTemplate(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ version, body }: { version: number; body: UpdateTemplateRequest }) =>
      answerOf(api.PATCH('/api/templates/{id}', { params: { path: { id }, header: ifVersion(version) }, body })),
    onSuccess: (template) => {
      client.setQueryData(templateQuery(id).queryKey, template);
      return client.invalidateQueries({ queryKey: KEY });
    },
  });
}

export function useDeleteTemplate() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Pick<TemplateSummary, 'id' | 'version'>) =>
      answerOf(api.DELETE('/api/templates/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSuccess: (_, { id }) => {
      client.removeQueries({ queryKey: templateQuery(id).queryKey });
      return client.invalidateQueries({ queryKey: [...KEY, 'list'] });
    },
  });
}

/** What the template comes to with the values of an environment; secrets are masks. */
export const renderedTemplateQuery = (id: string, version: number, request: RenderTemplateRequest | null) =>
  queryOptions({
    queryKey: [...KEY, 'one', id, 'rendered', version, request],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/api/templates/{id}/render', {
          params: { path: { id } },
          body: request ?? { environmentId: '' },
          signal,
        }),
      ),
    enabled: request !== null,
    staleTime: 0,
    retry: false,
  });
