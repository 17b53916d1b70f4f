import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { answerOf, api, idempotent, ifVersion } from '../../client';
import { CURSOR_PAGING } from '../../paging';
import type { CreateMemberRequest, Member, UpdateMemberRequest } from '../../types';
import { meQuery } from './session';

const KEY = ['members'] as const;

/** @param kind undefined = people and service accounts */
export const membersQuery = (q = '', kind?: Member['kind']) =>
  infiniteQueryOptions({
    queryKey: [...KEY, 'list', q, kind],
    queryFn: ({ pageParam, signal }) =>
      answerOf(api.GET('/api/members', { params: { query: { q: q || undefined, kind, cursor: pageParam } }, signal })),
    ...CURSOR_PAGING,
    placeholderData: keepPreviousData,
  });

/** Up to 200 members, for select fields. Only for admins. */
export const memberChoicesQuery = queryOptions({
  queryKey: [...KEY, 'choices'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/members', { params: { query: { limit: 200 } }, signal })),
  staleTime: 30_000,
});

export const memberQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, 'one', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/members/{id}', { params: { path: { id } }, signal })),
  });

export function useCreateMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, key }: { body: CreateMemberRequest; key: string }) =>
      answerOf(api.POST('/api/members', { body, headers: idempotent(key) })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    // The answer contains a one-time link, which must not stay in the cache of finished mutations.
    gcTime: 0,
  });
}

export function useUpdateMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ member, body }: { member: Pick<Member, 'id' | 'version'>; body: UpdateMemberRequest }) =>
      answerOf(
        api.PATCH('/api/members/{id}', {
          params: { path: { id: member.id }, header: ifVersion(member.version) },
          body,
        }),
      ),
    // Members may have changed their own role or name.
    onSuccess: () => client.invalidateQueries({ queryKey: meQuery.queryKey }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useRemoveMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, version }: Pick<Member, 'id' | 'version'>) =>
      answerOf(api.DELETE('/api/members/{id}', { params: { path: { id }, header: ifVersion(version) } })),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useCreatePasswordLink() {
  return useMutation({
    mutationFn: (id: string) => answerOf(api.POST('/api/members/{id}/password-link', { params: { path: { id } } })),
    gcTime: 0,
  });
}
