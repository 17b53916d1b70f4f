import { queryOptions } from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import type { CreateScriptRequest, UpdateScriptRequest } from '../../types';
import { libraryQueries } from './library-queries';

const at = (id: string) => ({ path: { id } });

export const scripts = libraryQueries('scripts', {
  list: (query, signal) => answerOf(api.GET('/api/scripts', { params: { query }, signal })),
  one: (id, signal) => answerOf(api.GET('/api/scripts/{id}', { params: at(id), signal })),
  revisions: (id, cursor, signal) =>
    answerOf(api.GET('/api/scripts/{id}/revisions', { params: { ...at(id), query: { cursor } }, signal })),
  revision: (id, number, signal) =>
    answerOf(api.GET('/api/scripts/{id}/revisions/{number}', { params: { path: { id, number } }, signal })),
  diff: (id, { from, to }, signal) =>
    answerOf(
      api.GET('/api/scripts/{id}/revisions/{number}/diff', {
        params: { path: { id, number: to }, query: { against: from } },
        signal,
      }),
    ),
  create: (body: CreateScriptRequest, key) => answerOf(api.POST('/api/scripts', { body, headers: idempotent(key) })),
  update: (id, version, body: UpdateScriptRequest) =>
    answerOf(api.PATCH('/api/scripts/{id}', { params: { ...at(id), header: ifVersion(version) }, body })),
  restore: (id, version, body) =>
    answerOf(api.POST('/api/scripts/{id}/restore', { params: { ...at(id), header: ifVersion(version) }, body })),
  remove: (id, version) =>
    answerOf(api.DELETE('/api/scripts/{id}', { params: { ...at(id), header: ifVersion(version) } })),
});

export const scriptChoicesQuery = scripts.choices;

/**
 * Program that runs the latest content of a script, and likely mistakes in it.
 * @param interpreter interpreter of a step; empty = none
 */
export const scriptInspectionQuery = (id: string, interpreter = '') =>
  queryOptions({
    queryKey: ['scripts', id, 'program', interpreter],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/scripts/{id}/program', {
          params: { ...at(id), query: interpreter === '' ? {} : { interpreter } },
          signal,
        }),
      ),
    retry: false,
  });
