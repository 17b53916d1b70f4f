import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  body: T;
  text: string;
}

export interface Credentials {
  token?: string;
  cookie?: string;
}

export interface ApiClient {
  get<T = unknown>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  post<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  put<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  patch<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  delete<T = unknown>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  raw<T = unknown>(
    method: string,
    path: string,
    body: string | Buffer | undefined,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
}

/** Reuses connections, because connecting takes longer than most requests. */
const agent = new Agent({ keepAlive: true });

/**
 * Uses plain HTTP, which takes a quarter of the time of `fetch`. That matters for thousands of requests.
 * @throws if the connection breaks
 */
function call(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
): Promise<{ status: number; headers: Headers; text: string }> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(url, { method, agent, headers: { ...length, ...headers } }, (answer) => {
      const responseHeaders = new Headers();
      for (let n = 0; n < answer.rawHeaders.length; n += 2) {
        responseHeaders.append(answer.rawHeaders[n] ?? '', answer.rawHeaders[n + 1] ?? '');
      }
      buffer(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 0, headers: responseHeaders, text: bytes.toString() }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** @param url without a trailing slash */
export function apiClient(url: string, credentials: Credentials = {}): ApiClient {
  const own: Record<string, string> = {};
  if (credentials.token) own.authorization = `Bearer ${credentials.token}`;
  if (credentials.cookie) own.cookie = credentials.cookie;
  const raw = async <T>(
    method: string,
    path: string,
    body?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> => {
    const answer = await call(url + path, method, { ...own, ...headers }, body);
    const json = /[/+]json(;|$)/.test(answer.headers.get('content-type') ?? '');
    return { ...answer, body: (json && answer.text !== '' ? JSON.parse(answer.text) : answer.text) as T };
  };
  const send = <T>(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> =>
    body === undefined
      ? raw<T>(method, path, undefined, headers)
      : raw<T>(method, path, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  return {
    raw,
    get: (path, headers) => raw('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    delete: (path, headers) => raw('DELETE', path, undefined, headers),
  };
}
