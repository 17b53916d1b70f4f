import { http, HttpResponse, type JsonBodyType } from 'msw';
import { setupServer } from 'msw/node';
import { afterEach } from 'vitest';
import type { ProblemBody } from '../src/api/types';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface SentRequest {
  method: string;
  path: string;
  body: unknown;
  /** Version of the record that the write changes, from `If-Match`. */
  version?: number;
}

/** Listens from the set-up on: the API client keeps the `fetch` that it finds when it is loaded. */
export const server = setupServer();

/**
 * Answers for the tests of a file, at the network boundary. A request without an answer fails.
 * @returns `answer` sets the JSON answer of a path for one test, `refuse` a problem document; `sent` are its writing
 * requests, in order
 */
export function fakeServer() {
  const sent: SentRequest[] = [];
  afterEach(() => {
    server.resetHandlers();
    sent.length = 0;
  });
  const answer = (method: Method, path: string, body: unknown, status = 200) =>
    server.use(
      http[method](`*${path}`, async ({ request }) => {
        if (method !== 'get') {
          const text = await request.text();
          const version = request.headers.get('If-Match');
          sent.push({
            method,
            path: new URL(request.url).pathname,
            body: text === '' ? null : JSON.parse(text),
            ...(version === null ? {} : { version: Number(JSON.parse(version)) }),
          });
        }
        return HttpResponse.json(body as JsonBodyType, { status });
      }),
    );
  const refuse = (method: Method, path: string, problem: Partial<ProblemBody> & { status: number; code: string }) =>
    answer(method, path, { title: 'Refused', detail: 'Refused.', ...problem }, problem.status);
  return { answer, refuse, sent };
}
