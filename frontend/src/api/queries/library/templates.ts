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
  create: (body: CreateTemplateRequest, key) =>
    answerOf(api.POST('/api/templates', { body, headers: idempotent(key) })),
  update: (id, version, body: UpdateTemplateRequest) =>
    answerOf(api.PATCH('/api/templates/{id}', { params: { ...at(id), header: ifVersion(version) }, body })),
  remove: (id, version) =>
    answerOf(api.DELETE('/api/templates/{id}', { params: { ...at(id), header: ifVersion(version) } })),
});

export const templateChoicesQuery = templates.choices;

/** The template rendered with the values of an environment; secrets are masked. */
export const renderedTemplateQuery = (id: string, version: number, request: RenderTemplateRequest | null) =>
  queryOptions({
    queryKey: [...templates.one(id).queryKey, 'rendered', version, request],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/api/templates/{id}/render', { params: at(id), body: request ?? { environmentId: '' }, signal }),
      ),
    enabled: request !== null,
    staleTime: 0,
    retry: false,
  });
