import { Failure } from '../terminal/failure.ts';
import { toFailure, notRunwardFailure, parseProblem } from './problems.ts';
import { unreachableFailure, toNetworkFailure } from './network.ts';
import { sleep } from './pause.ts';
import { isTransient, pauseBeforeAttempt } from './repeat.ts';

export interface Credential {
  /** Token for the `Authorization` header; null = none. */
  token(): Promise<string | null>;
  /**
   * Called when the service refused the token.
   * @returns whether a new token is available
   */
  renew(): Promise<boolean>;
}

export const NO_CREDENTIAL: Credential = { token: () => Promise.resolve(null), renew: () => Promise.resolve(false) };

export interface ConnectionOptions {
  /** Address of the service, without a trailing slash. */
  base: string;
  credential: Credential;
  /** Time for which a request without a usable response is repeated, in ms. */
  retryForMs: number;
  onConnectionTrouble: (reason: string) => void;
  /** Called with the version of the service in each response; null: it reports none. */
  onServiceVersion?: (version: string | null, base: string) => void;
  agent: string;
}

interface SendOptions {
  /** Time limit of one attempt, in ms. */
  attemptTimeoutMs?: number;
  /** Whether the body stays a stream, which may be read without a time limit. */
  streamed?: boolean;
}

const VERSION_HEADER = 'Runward-Version';
const ATTEMPT_TIMEOUT_MS = 30_000;

/** Sends requests and repeats them while the service is unavailable. Starts carry an idempotency key, so repeating them is safe. */
export class Connection {
  readonly options: ConnectionOptions;
  #troubled = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
  }

  /**
   * Returns the response to a request, with any status that is not transient.
   * @throws Failure when the deadline passed; the reason of `request.signal` when it was aborted
   */
  async send(
    request: Request,
    { attemptTimeoutMs = ATTEMPT_TIMEOUT_MS, streamed = false }: SendOptions = {},
  ): Promise<Response> {
    const { retryForMs, base, credential } = this.options;
    const deadline = performance.now() + retryForMs;
    const body = request.body === null ? undefined : await request.arrayBuffer();
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      let reason: string;
      let retryAfter: string | null = null;
      let last: () => Error;
      try {
        const response = await this.#attempt(request, body, attemptTimeoutMs, streamed);
        if (response.status >= 300 && response.status < 400) throw redirectedFailure(base, response);
        if (response.status === 401 && !renewed && (await credential.renew())) {
          renewed = true;
          continue;
        }
        if (response.ok) return isHtmlPage(response) ? throwFailure(notRunwardFailure(response)) : response;
        const text = await response.text();
        const code = parseProblem(text)?.code;
        if (!isTransient(response.status, code)) return toResponseWithBody(response, text);
        reason = code ? `it answers ${response.status} (${code})` : `it answers ${response.status}`;
        retryAfter = response.headers.get('retry-after');
        last = () => toFailure(response, text);
      } catch (error) {
        request.signal.throwIfAborted();
        if (error instanceof Failure) throw error;
        const networkFailure = toNetworkFailure(error);
        if (networkFailure.isLasting) throw unreachableFailure(base, networkFailure.reason);
        reason = networkFailure.reason;
        last = () => unreachableFailure(base, reason);
      }
      const pauseMs = pauseBeforeAttempt(attempt, retryAfter, Math.random());
      if (performance.now() + pauseMs > deadline) throw last();
      if (!this.#troubled) this.options.onConnectionTrouble(reason);
      this.#troubled = true;
      await sleep(pauseMs, request.signal);
    }
  }

  async #attempt(
    request: Request,
    body: ArrayBuffer | undefined,
    attemptTimeoutMs: number,
    streamed: boolean,
  ): Promise<Response> {
    const token = await this.options.credential.token();
    const headers = new Headers(request.headers);
    headers.set('User-Agent', this.options.agent);
    if (token !== null) headers.set('Authorization', `Bearer ${token}`);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException('late', 'TimeoutError')), attemptTimeoutMs);
    try {
      const response = await fetch(request.url, {
        method: request.method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.any([request.signal, late.signal]),
        // The token must not follow a redirect to another origin.
        redirect: 'manual',
      });
      this.options.onServiceVersion?.(response.headers.get(VERSION_HEADER), this.options.base);
      if (streamed && response.ok) return response;
      // The body is read within the time limit of the request, so that a truncated response is requested again.
      return toResponseWithBody(response, await response.arrayBuffer());
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether the response is HTML, which only the dashboard or a proxy sends, never the API. */
const isHtmlPage = (response: Response): boolean =>
  (response.headers.get('content-type') ?? '').startsWith('text/html');

function throwFailure(failure: Failure): never {
  throw failure;
}

function toResponseWithBody(response: Response, body: string | ArrayBuffer): Response {
  const empty = response.status === 204 || response.status === 304;
  const { status, statusText, headers } = response;
  return new Response(empty ? null : body, { status, statusText, headers });
}

function redirectedFailure(base: string, response: Response): Failure {
  const location = response.headers.get('location');
  if (location === null || !URL.canParse(location, base)) return notRunwardFailure(response);
  const { origin } = new URL(location, base);
  const reason = `it redirects to ${origin}, and credentials are not sent to another address`;
  return unreachableFailure(base, reason, ['Set RUNWARD_URL to that address if it is the right one.']);
}
