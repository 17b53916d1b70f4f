const TRANSIENT_STATUSES = [429, 502, 503, 504];
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export interface RetryOptions {
  /** Time for which a request without a usable answer is repeated, in ms. */
  retryForMs: number;
  fetch: typeof fetch;
}

/**
 * Returns a `fetch` that repeats a request after a lost connection or a transient status. Repeats only requests that
 * the service executes once: reads, and those with an idempotency key.
 */
export function createRetryingFetch({ retryForMs, fetch }: RetryOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const deadline = performance.now() + retryForMs;
    for (let attempt = 1; ; attempt += 1) {
      let response: Response | undefined;
      let failure: unknown;
      try {
        // The token must not follow a redirect to another origin.
        response = await fetch(request.clone(), { redirect: 'error' });
        if (!TRANSIENT_STATUSES.includes(response.status)) return response;
      } catch (error) {
        request.signal.throwIfAborted();
        failure = error;
      }
      const pauseMs = readPauseMs(response, attempt);
      if (!isRepeatable(request) || performance.now() + pauseMs > deadline) {
        if (response) return response;
        throw failure;
      }
      await sleep(pauseMs, request.signal);
    }
  };
}

const isRepeatable = ({ method, headers }: Request): boolean =>
  method === 'GET' || method === 'HEAD' || headers.has('Idempotency-Key');

function readPauseMs(response: Response | undefined, attempt: number): number {
  const seconds = Number(response?.headers.get('Retry-After') ?? Number.NaN);
  if (seconds >= 0) return seconds * 1000;
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}

/** @throws the reason of the signal when it is aborted */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    if (signal.aborted) return reject(signal.reason as Error);
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
