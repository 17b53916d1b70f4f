/** An answer of the API; `body` is parsed JSON, or the text when it is none. */
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

/** Calls the API over real HTTP. */
export interface ApiClient {
  get<T = unknown>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  post<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  put<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  patch<T = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  delete<T = unknown>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  /** Sends text as it is. */
  raw<T = unknown>(
    method: string,
    path: string,
    body: string | Buffer | undefined,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
}

/** A client of the API at `url` (no slash at its end). */
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
    const response = await fetch(url + path, {
      method,
      body: body as RequestInit['body'],
      headers: { ...own, ...headers },
      redirect: 'manual',
    });
    const text = await response.text();
    const json = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: (json && text !== '' ? JSON.parse(text) : text) as T,
      text,
    };
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
