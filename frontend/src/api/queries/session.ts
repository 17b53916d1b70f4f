import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../client';
import { isUnauthorized } from '../errors';
import type { Me } from '../types';

/** The signed-in member; null when nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me | null> => {
    try {
      return await answerOf(api.GET('/api/auth/me', { signal }));
    } catch (error) {
      if (isUnauthorized(error)) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

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
      // Nothing that another member read before may be shown.
      client.clear();
      client.setQueryData(meQuery.queryKey, me);
    },
  });
}

export function useLogout() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf(api.POST('/api/auth/logout', {})),
    onSuccess: () => client.setQueryData(meQuery.queryKey, null),
  });
}
