import { http, HttpResponse, type JsonBodyType } from 'msw';
import { setupServer } from 'msw/node';
import { afterEach } from 'vitest';

export interface SentRequest {
  method: string;
  path: string;
  body: unknown;
}

/** Listens from the set-up on: the API client keeps the `fetch` that it finds when it is loaded. */
export const server = setupServer();

/**
 * Answers for the tests of a file, at the network boundary. A request without an answer fails.
 * @returns `answer` sets the JSON answer of a path for one test; `sent` are its writing requests, in order
 */
export function fakeServer() {
  const sent: SentRequest[] = [];
  afterEach(() => {
    server.resetHandlers();
    sent.length = 0;
  });
  const answer = (
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    body: JsonBodyType,
    status = 200,
  ) =>
    server.use(
      http[method](`*${path}`, async ({ request }) => {
        if (method !== 'get') {
          const text = await request.text();
          sent.push({ method, path: new URL(request.url).pathname, body: text === '' ? null : JSON.parse(text) });
        }
        return HttpResponse.json(body, { status });
      }),
    );
  return { answer, sent };
}
