import { randomUUID } from 'node:crypto';
import createClient, { type Client } from 'openapi-fetch';
// Types that the build generates from openapi.json. They are not part of the program.
import type { components, paths } from '../../../frontend/src/api/schema.ts';
import type { Connection } from './connection.ts';
import { toFailure } from './problems.ts';

export type Schemas = components['schemas'];
export type Api = Client<paths, 'application/json'>;

export const createApi = (connection: Connection): Api =>
  createClient<paths, 'application/json'>({
    baseUrl: connection.options.base,
    fetch: (request) => connection.send(request),
  });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * Returns the body of a response.
 * @throws Failure for any status that is not 2xx
 */
export async function requireAnswer<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw toFailure(response, typeof error === 'string' ? error : JSON.stringify(error ?? null));
  return data as T;
}

/**
 * Returns the body of a response, or null for status 404.
 * @throws Failure for other errors
 */
export async function getAnswerOrNull<T>(call: Promise<Answer<T>>): Promise<T | null> {
  const { data, error, response } = await call;
  return response.status === 404 ? null : requireAnswer(Promise.resolve({ data, error, response } as Answer<T>));
}

/** Headers that make a repeated request safe: the service executes it once. */
export const createIdempotencyHeaders = (key: string = randomUUID()): { headers: { 'Idempotency-Key': string } } => ({
  headers: { 'Idempotency-Key': key },
});
