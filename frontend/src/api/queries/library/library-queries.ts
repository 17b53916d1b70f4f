import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { toProblem } from '../../errors';
import { CURSOR_PAGING } from '../../paging';
import type { LibraryDiff, Page, RestoreRequest } from '../../types';

export interface LibraryRevision {
  id: string;
  number: number;
  interpreter?: string | null;
  bytes: number;
  message: string | null;
  createdBy: { id: string; name: string };
  createdAt: string;
}

/** API routes of scripts or of templates, which have the same form. */
interface Routes<Summary, Whole, Create, Update> {
  list: (query: { q?: string; cursor?: string; limit?: number }, signal: AbortSignal) => Promise<Page<Summary>>;
  one: (id: string, signal: AbortSignal) => Promise<Whole>;
  revisions: (id: string, cursor: string | undefined, signal: AbortSignal) => Promise<Page<LibraryRevision>>;
  revision: (id: string, number: number, signal: AbortSignal) => Promise<{ content: string }>;
  diff: (id: string, revisions: { from: number; to: number }, signal: AbortSignal) => Promise<LibraryDiff>;
  create: (body: Create, key: string) => Promise<Whole>;
  update: (id: string, version: number, body: Update) => Promise<Whole>;
  restore: (id: string, version: number, body: RestoreRequest) => Promise<Whole>;
  remove: (id: string, version: number) => Promise<unknown>;
}

/** Creates queries and mutations for these routes, under one query key. */
export function libraryQueries<Summary, Whole extends { id: string }, Create, Update>(
  kind: 'scripts' | 'templates',
  routes: Routes<Summary, Whole, Create, Update>,
) {
  const KEY = [kind] as const;

  const one = (id: string) =>
    queryOptions({ queryKey: [...KEY, 'one', id], queryFn: ({ signal }) => routes.one(id, signal) });

  return {
    one,

    list: (q = '') =>
      infiniteQueryOptions({
        queryKey: [...KEY, 'list', q],
        queryFn: ({ pageParam, signal }) => routes.list({ q: q || undefined, cursor: pageParam }, signal),
        ...CURSOR_PAGING,
        placeholderData: keepPreviousData,
      }),

    /** Up to 200 records, for select fields. */
    choices: queryOptions({
      queryKey: [...KEY, 'choices'],
      queryFn: ({ signal }) => routes.list({ limit: 200 }, signal),
      staleTime: 30_000,
    }),

    revisions: (id: string) =>
      infiniteQueryOptions({
        queryKey: [...KEY, 'one', id, 'revisions'],
        queryFn: ({ pageParam, signal }) => routes.revisions(id, pageParam, signal),
        ...CURSOR_PAGING,
      }),

    /** One revision with its content. It never changes, so it never becomes stale. */
    revision: (id: string, number: number) =>
      queryOptions({
        queryKey: [...KEY, 'one', id, 'revisions', number],
        queryFn: ({ signal }) => routes.revision(id, number, signal),
        staleTime: Number.POSITIVE_INFINITY,
      }),

    /** Differences between two revisions, which never change. */
    diff: (id: string, from: number, to: number) =>
      queryOptions({
        queryKey: [...KEY, 'one', id, 'revisions', 'diff', from, to],
        queryFn: ({ signal }) => routes.diff(id, { from, to }, signal),
        staleTime: Number.POSITIVE_INFINITY,
      }),

    useCreate() {
      const client = useQueryClient();
      return useMutation({
        mutationFn: ({ body, key }: { body: Create; key: string }) => routes.create(body, key),
        onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
      });
    },

    useUpdate(id: string) {
      const client = useQueryClient();
      return useMutation({
        mutationFn: ({ version, body }: { version: number; body: Update }) => routes.update(id, version, body),
        onSuccess: (saved) => {
          client.setQueryData<Whole>([...KEY, 'one', id], saved);
          return client.invalidateQueries({ queryKey: KEY });
        },
      });
    },

    useRestore({ id, version }: { id: string; version: number }) {
      const client = useQueryClient();
      return useMutation({
        mutationFn: (body: RestoreRequest) => routes.restore(id, version, body),
        onSuccess: (saved) => {
          client.setQueryData<Whole>([...KEY, 'one', id], saved);
          return client.invalidateQueries({ queryKey: KEY });
        },
        onError: (error) =>
          toProblem(error).code === 'version_mismatch'
            ? client.invalidateQueries({ queryKey: [...KEY, 'one', id] })
            : null,
      });
    },

    useDelete() {
      const client = useQueryClient();
      return useMutation({
        mutationFn: ({ id, version }: { id: string; version: number }) => routes.remove(id, version),
        onSuccess: (_, { id }) => {
          client.removeQueries({ queryKey: one(id).queryKey });
          return client.invalidateQueries({ queryKey: [...KEY, 'list'] });
        },
      });
    },
  };
}
