import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import type { CreateTemplateRequest, RenderTemplateRequest, UpdateTemplateRequest } from '../../types';
import { libraryQueries } from './library-queries';

const at = (id: string) => ({ path: { id } });

export const templates = libraryQueries('templates', {
  list: (query, signal) => answerOf(api.GET('/api/templates', { params: { query }, signal })),
  one: (id, signal) => answerOf(api.GET('/api/templates/{id}', { params: at(id), signal })),
  revisions: (id, cursor, signal) =>
    answerOf(api.GET('/api/templates/{id}/revisions', { params: { ...at(id), query: { cursor } }, signal })),
  revision: (id, number, signal) =>
    answerOf(api.GET('/api/templates/{id}/revisions/{number}', { params: { path: { id, number } }, signal })),
  diff: (id, { from, to }, signal) =>
    answerOf(
      api.GET('/api/templates/{id}/revisions/{number}/diff', {
        params: { path: { id, number: to }, query: { against: from } },
        signal,
      }),
    ),
  create: (body: CreateTemplateRequest, key) =>
    answerOf(api.POST('/api/templates', { body, headers: idempotent(key) })),
  update: (id, version, body: UpdateTemplateRequest) =>
    answerOf(api.PATCH('/api/templates/{id}', { params: { ...at(id), header: ifVersion(version) }, body })),
  restore: (id, version, body) =>
    answerOf(api.POST('/api/templates/{id}/restore', { params: { ...at(id), header: ifVersion(version) }, body })),
  remove: (id, version) =>
    answerOf(api.DELETE('/api/templates/{id}', { params: { ...at(id), header: ifVersion(version) } })),
});

export const templateChoicesQuery = templates.choices;

export interface SavedTemplate {
  id: string;
  version: number;
}

/** Template with the values of an environment; secrets are masked. */
export const renderedTemplateQuery = (saved: SavedTemplate | null, request: RenderTemplateRequest | null) =>
  queryOptions({
    queryKey: [
      ...(saved ? templates.one(saved.id).queryKey : ['templates', 'new']),
      'rendered',
      saved?.version,
      request,
    ] as const,
    queryFn: ({ signal }) => rendered(saved, request ?? { environmentId: '' }, signal),
    enabled: request !== null,
    staleTime: 0,
    retry: false,
  });

function rendered(saved: SavedTemplate | null, body: RenderTemplateRequest, signal: AbortSignal) {
  if (saved) return answerOf(api.POST('/api/templates/{id}/render', { params: at(saved.id), body, signal }));
  return answerOf(api.POST('/api/templates/render', { body: { ...body, content: body.content ?? '' }, signal }));
}
