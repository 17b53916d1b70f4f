import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import { CURSOR_PAGING } from '../../paging';

const KEY = ['sessions'] as const;

/** Browsers with a session. @param memberId any member, for admins; null = the caller */
export const sessionsQuery = (memberId: string | null) =>
  infiniteQueryOptions({
    queryKey: [...KEY, memberId],
    queryFn: ({ pageParam, signal }) => {
      const query = { cursor: pageParam };
      return answerOf(
        memberId === null
          ? api.GET('/api/auth/sessions', { params: { query }, signal })
          : api.GET('/api/members/{id}/sessions', { params: { path: { id: memberId }, query }, signal }),
      );
    },
    ...CURSOR_PAGING,
  });

export function useRevokeSession(memberId: string | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      answerOf(
        memberId === null
          ? api.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } })
          : api.DELETE('/api/members/{id}/sessions/{sessionId}', {
              params: { path: { id: memberId, sessionId: id } },
            }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { currentPassword: string; newPassword: string }) =>
      answerOf(api.POST('/api/auth/password', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
    gcTime: 0,
  });
}

export function useSetPassword() {
  return useMutation({
    mutationFn: (body: { secret: string; password: string }) => answerOf(api.POST('/api/auth/set-password', { body })),
    gcTime: 0,
  });
}
