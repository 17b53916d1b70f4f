import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isUnauthorized, mayPass } from '../api/errors';
import { meQuery } from '../api/queries/session';

const RETRIES = 2;

export function createQueryClient(): QueryClient {
  // A session can end at any request; the shell sees that nobody is signed in and asks for the password.
  const onError = (error: unknown) => {
    if (isUnauthorized(error)) client.setQueryData(meQuery.queryKey, null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 5_000, retry: (count, error) => count < RETRIES && mayPass(error), throwOnError: false },
      mutations: { retry: false },
    },
  });
  return client;
}
