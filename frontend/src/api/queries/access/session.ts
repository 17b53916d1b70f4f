import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../client';
import { isUnauthorized } from '../../errors';
import { sessionResumed } from '../../session-resume';
import type { Me } from '../../types';

const ME = ['me'] as const;

/** Whether the session has ended while pages are open. They keep their state until the member signs in again. */
export const sessionEndedQuery = queryOptions({
  queryKey: ['session-ended'],
  queryFn: () => false,
  initialData: false,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** Call this when the server has answered 401. */
export function noteUnauthorized(client: QueryClient): void {
  if (client.getQueryData<Me | null>(ME)) client.setQueryData(sessionEndedQuery.queryKey, true);
  else client.setQueryData(ME, null);
}

/** The signed-in member; null when signed out. Keeps the member if the session ends while pages are open. */
export const meQuery = queryOptions({
  queryKey: ME,
  queryFn: async ({ client, signal }): Promise<Me | null> => {
    const known = client.getQueryData<Me | null>(ME) ?? null;
    try {
      const me = await answerOf(api.GET('/api/auth/me', { signal }));
      if (known) resumeSession(client, known, me);
      return me;
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      noteUnauthorized(client);
      return known;
    }
  },
  staleTime: 60_000,
});

/** If the same member has signed in again, keeps the open pages. For another member, reloads them. */
function resumeSession(client: QueryClient, known: Me, me: Me): void {
  if (me.id !== known.id) {
    window.location.reload();
    return;
  }
  if (!client.getQueryData(sessionEndedQuery.queryKey)) return;
  client.setQueryData(sessionEndedQuery.queryKey, false);
  sessionResumed();
}

export interface Credentials {
  email: string;
  password: string;
  tenant?: string;
}

export function useLogin() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Credentials) => answerOf(api.POST('/api/auth/login', { body })),
    onSuccess: (me) => {
      // Data of a previously signed-in member must not be shown.
      client.clear();
      client.setQueryData(meQuery.queryKey, me);
    },
  });
}

export function useSignInAgain() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Credentials) => answerOf(api.POST('/api/auth/login', { body })),
    onSuccess: (me) => {
      const known = client.getQueryData(meQuery.queryKey);
      client.setQueryData(meQuery.queryKey, me);
      if (known) resumeSession(client, known, me);
      return client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });
    },
  });
}

export function useDiscardSession() {
  const client = useQueryClient();
  return () => {
    client.setQueryData(sessionEndedQuery.queryKey, false);
    client.setQueryData(meQuery.queryKey, null);
  };
}

export function useLogout() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(api.POST('/api/auth/logout', {})),
    onSuccess: () => client.setQueryData(meQuery.queryKey, null),
  });
}
