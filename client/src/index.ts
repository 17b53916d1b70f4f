import createClient, { type Client } from 'openapi-fetch';
import { DeadlineError, ProblemError } from './errors.ts';
import { createRetryingFetch } from './retry.ts';
import type { components, paths } from './schema.ts';

export type { components, paths };
export { DeadlineError, type Problem, ProblemError } from './errors.ts';
export { verifyWebhook, type WebhookHeaders, type WebhookMessage } from './webhooks.ts';

export type Schemas = components['schemas'];
export type Run = Schemas['ExecutionView'];
export type StartRequest = Schemas['StartExecutionRequest'];
export type Result = Schemas['HostResultView'];
export type OutputLine = Schemas['OutputLineView'];

export interface ConnectOptions {
  /** Address of the instance: `https://runward.example.org`. */
  url: string;
  /** API token: `runward_…`. */
  token: string;
  /** Time for which a request without a usable answer is repeated, in ms; default: five minutes. */
  retryForMs?: number;
  fetch?: typeof fetch;
}

export interface WaitOptions {
  /** `settled` (default) also returns a PAUSED run, which waits for a person; `finished` waits through pauses. */
  until?: 'settled' | 'finished';
  /** Time limit of the wait, in ms; default: none. The run continues after it. */
  deadlineMs?: number;
  signal?: AbortSignal;
  /** Called with the run after each answer. */
  onProgress?: (run: Run) => void;
}

export interface StartOptions extends WaitOptions {
  /** A start with the same key returns the existing run. Default: a new key. In CI, use the ID of the job. */
  idempotencyKey?: string;
}

const RETRY_FOR_MS = 300_000;
const WAIT_SECONDS = 50;
const PAGE_SIZE = 200;
const LINES_PER_REQUEST = 1000;
const UNKNOWN_EXIT_CODE = 7;

/** Connects to an instance of Runward. `api` sends any request; the other functions wait, repeat and read pages. */
export function connect({ url, token, retryForMs = RETRY_FOR_MS, fetch = globalThis.fetch }: ConnectOptions): Runward {
  const api = createClient<paths, 'application/json'>({
    baseUrl: url.replace(/\/+$/, ''),
    headers: { Authorization: `Bearer ${token}` },
    fetch: createRetryingFetch({ retryForMs, fetch }),
  });
  return new Runward(api);
}

export class Runward {
  readonly api: Client<paths, 'application/json'>;

  constructor(api: Client<paths, 'application/json'>) {
    this.api = api;
  }

  /** Starts a run. The start is safe to repeat, because it has a key. */
  start(body: StartRequest, { idempotencyKey = crypto.randomUUID(), signal }: StartOptions = {}): Promise<Run> {
    const params = { header: { 'Idempotency-Key': idempotencyKey } };
    return unwrap(this.api.POST('/api/executions', { body, params, ...withSignal(signal) }));
  }

  /**
   * Waits until the run is finished, or PAUSED if `until` is `settled`.
   * @throws DeadlineError after `deadlineMs`; the reason of `signal` when it is aborted
   */
  async wait(id: string, { until = 'settled', deadlineMs, signal, onProgress }: WaitOptions = {}): Promise<Run> {
    const deadline = performance.now() + (deadlineMs ?? Number.POSITIVE_INFINITY);
    for (;;) {
      const leftSeconds = Math.max(0, Math.ceil((deadline - performance.now()) / 1000));
      const query = { wait: Math.min(WAIT_SECONDS, leftSeconds), until };
      const params = { path: { id }, query };
      const run = await unwrap(this.api.GET('/api/executions/{id}', { params, ...withSignal(signal) }));
      onProgress?.(run);
      if (run.finished || (until === 'settled' && run.status === 'PAUSED')) return run;
      if (performance.now() >= deadline) throw new DeadlineError(id);
    }
  }

  /** Starts a run and waits for its outcome. PAUSED is an outcome: the run waits for a person. */
  async startAndWait(body: StartRequest, options: StartOptions = {}): Promise<Run> {
    const run = await this.start(body, options);
    options.onProgress?.(run);
    return this.wait(run.id, options);
  }

  /** Yields the result of each step on each host. */
  async *results(id: string, options: { signal?: AbortSignal } = {}): AsyncGenerator<Result> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: { id }, query };
      const request = this.api.GET('/api/executions/{id}/results', { params, ...withSignal(options.signal) });
      const page = await unwrap(request);
      yield* page.items;
      cursor = page.nextCursor;
    }
  }

  /** Yields the stored lines of output, oldest first. */
  async *output(
    id: string,
    filter: OutputFilter = {},
    options: { signal?: AbortSignal } = {},
  ): AsyncGenerator<OutputLine> {
    for (let after: string | undefined; ; ) {
      const query = { ...filter, limit: LINES_PER_REQUEST, ...(after === undefined ? {} : { after }) };
      const params = { path: { id }, query };
      const request = this.api.GET('/api/executions/{id}/output', { params, ...withSignal(options.signal) });
      const page = await unwrap(request);
      yield* page.items;
      if (page.nextAfter === null || page.readPercent === 100) return;
      after = page.nextAfter;
    }
  }
}

export interface OutputFilter {
  stepKey?: string;
  serverId?: string;
}

/** Exit code of a run, as that of the command line: 0 = succeeded, 3 = partially, 4 = waits for a person. */
export function toExitCode({ status, finished, successful, unknownHosts = [] }: Run): number {
  if (finished && unknownHosts.length > 0) return UNKNOWN_EXIT_CODE;
  const codes: Record<string, number> = {
    PARTIALLY_SUCCEEDED: 3,
    PAUSED: 4,
    REJECTED: 5,
    EXPIRED: 5,
    INTERRUPTED: UNKNOWN_EXIT_CODE,
  };
  return codes[status] ?? (successful ? 0 : 1);
}

async function unwrap<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined) throw new ProblemError(response.status, error);
  return data;
}

const withSignal = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });
