import createClient from 'openapi-fetch';
import { noteConnection } from './connection';
import { problemOf, toNetworkProblem } from './errors';
import { noteInstallationState } from './installation-state';
import type { paths } from './schema';

export const api = createClient<paths, 'application/json'>({
  baseUrl: window.location.origin,
  credentials: 'same-origin',
});

api.use({ onResponse: ({ response }) => noteInstallationState(response) });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * Returns the body of a successful response.
 * @throws ApiProblem for every other result, including network errors
 */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (isAbort(cause)) throw cause;
    const problem = toNetworkProblem(cause);
    if (problem.code === 'network') noteConnection(false);
    throw problem;
  });
  noteConnection(true);
  if (!response.ok) throw problemOf(response, error);
  return data as T;
}

const isAbort = (cause: unknown) => cause instanceof DOMException && cause.name === 'AbortError';

/** Header that makes a repeated POST return the first response. */
export const idempotent = (key: string) => ({ 'Idempotency-Key': key });

/** Header that makes the server refuse a write if the record has changed since it was read. */
export const ifVersion = (version: number) => ({ 'If-Match': `"${version}"` });

/** Header `If-Match` for an existing record. A new record has no version, so it gets no header. */
export const ifUnchanged = (current: { version: number } | null) => (current ? ifVersion(current.version) : undefined);

/**
 * Returns a new idempotency key. Does not use `crypto.randomUUID`, which is missing on plain HTTP outside localhost.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
