import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isUnauthorized, isTransient } from '../api/errors';
import { noteUnauthorized } from '../api/queries/access/session';

const RETRIES = 2;

export function createQueryClient(): QueryClient {
  // A session can end at any request. The shell then asks for the password in a dialog over the page.
  const onError = (error: unknown) => {
    if (isUnauthorized(error)) noteUnauthorized(client);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) => count < RETRIES && isTransient(error),
        throwOnError: false,
      },
      mutations: { retry: false },
    },
  });
  return client;
}
