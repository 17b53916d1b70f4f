import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Answer, type ApiClient, apiClient } from '../api-client.js';
import { createTestDatabase, type TestDatabase } from '../database.js';
import { fillPath, makeOneOfEach, type OneOfEach } from '../one-of-each.js';
import type { Operation } from '../openapi.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from '../runward-process.js';
import { loopDelaySettings, readLoopDelay, slowness } from './loop-delay.js';
import { SERIAL_PLACEHOLDER } from './valid-bodies.js';

export interface ProblemBody {
  status: number;
  code: string;
  errors?: { path: string; code: string; message: string }[];
  differences?: object[];
}

/** Longest time for which a request may block the event loop, in ms. Scaled by {@link slowness}. */
export const MAX_DELAY_SECONDS = 100;
/** Attempts per request. CPU time varies with caches and garbage collection, but a faulty body is slow every time. */
const MAX_TRIES = 4;
const MAX_FAULTS = 20;
const MAX_REPORTED_FAULTS = 10;
const MAX_REFUSAL_BYTES = 64 * 1024;
/** Large, because a created record is returned with all submitted fields and defaults. */
const MAX_ANSWER_BYTES = 3 * 1024 * 1024;
/** Large, because a comparison of two runs contains plan, variables, scripts and templates of both. */
const MAX_DIFFERENCE_BYTES = 8 * 1024 * 1024;

export interface RequestOptions {
  client?: ApiClient;
  /** Records for the IDs in the path. */
  about?: OneOfEach;
  before?: () => Promise<unknown>;
}

export interface MeasuredApi {
  runward: RunwardProcess;
  database: TestDatabase;
  admin: ApiClient;
  anonymous: ApiClient;
  records: OneOfEach;
  /** Longest delays with their causes, longest first. */
  longest: { ms: number; what: string }[];
  sent: number;
  visited: Set<string>;
  /**
   * Sends a request, and repeats it while it is slow.
   * @param before called before each attempt, not measured
   * @throws Error if every attempt is slow, or for a response that is never valid
   */
  expectNoDelayOf: <T extends Answer>(
    what: string,
    ask: () => Promise<T>,
    before?: () => Promise<unknown>,
  ) => Promise<T>;
  /** Sends a body to a route and measures it. By default as the admin, with the IDs of `records`. */
  expectNoDelay: <T = ProblemBody>(
    operation: Operation,
    title: string,
    text: string,
    other?: RequestOptions,
  ) => Promise<Answer<T>>;
  close: () => Promise<void>;
}

/**
 * Starts the built program without workers.
 * @param maxDelayMs longest time for which a request may block the event loop
 */
export async function startMeasuredApi(maxDelayMs = MAX_DELAY_SECONDS): Promise<MeasuredApi> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runward-hostile-'));
  const socket = path.join(folder, 'delay');
  const database = await createTestDatabase();
  const runward = await startRunwardProcess(database.url, path.join(folder, 'data'), {
    RUNWARD_ROLE: 'api',
    RUNWARD_RATE_LIMIT_PER_MINUTE: '10000000',
    ...loopDelaySettings(socket),
  });
  const anonymous = apiClient(runward.url);
  const login = await anonymous.post('/api/auth/login', PROCESS_ADMIN);
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const token = await apiClient(runward.url, { cookie }).post<{ token: string }>('/api/tokens', { name: 'test' });
  const admin = apiClient(runward.url, { token: token.body.token });
  const records = await makeOneOfEach({ userId: '', tenantId: '', email: '', token: '', api: admin }, 'granite');
  let serial = 0;

  const api: MeasuredApi = {
    ...{ runward, database, admin, anonymous, records },
    longest: [],
    sent: 0,
    visited: new Set(),
    async expectNoDelayOf(what, ask, before) {
      const once = async () => {
        await before?.();
        await readLoopDelay(socket);
        const answer = await ask();
        return { answer, ms: await readLoopDelay(socket) };
      };
      let { answer, ms } = await once();
      assertBoundedAnswer(what, answer);
      for (let time = 1; time < MAX_TRIES && ms >= maxDelayMs; time += 1) {
        const again = await once();
        // An action that works only once is refused the second time, so measuring it again is useless.
        if (again.answer.status !== answer.status) break;
        if (again.ms < ms) ({ answer, ms } = again);
      }
      api.sent += 1;
      api.longest.push({ ms: Math.round(ms), what });
      api.longest = api.longest.sort((a, b) => b.ms - a.ms).slice(0, MAX_REPORTED_FAULTS);
      if (ms < maxDelayMs) return answer;
      const slow = slowness();
      if (ms >= maxDelayMs * slow)
        throw new Error(
          `${what} kept all others waiting for ${Math.round(ms)} ms, on a machine that is ${slow.toFixed(1)} times as slow as the one that the limit is for.`,
        );
      return answer;
    },
    expectNoDelay<T>(operation: Operation, title: string, text: string, other: RequestOptions = {}) {
      const { client = admin, about = records, before } = other;
      api.visited.add(operation.operationId);
      return api.expectNoDelayOf(
        `${operation.operationId}: ${title}`,
        () => {
          serial += 1;
          const body = text.replaceAll(SERIAL_PLACEHOLDER, String(serial));
          // The idempotency key adds a hash of the whole body to the measured work.
          const headers = { 'content-type': 'application/json', 'idempotency-key': `hostile-${serial}` };
          return client.raw<T>(operation.method, fillPath(operation.path, about), body, headers);
        },
        before,
      );
    },
    async close() {
      await runward.end('SIGTERM');
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await readLoopDelay(socket);
  return api;
}

export const delayReport = ({ sent, longest }: MeasuredApi): string =>
  [`The longest delays of ${sent} requests:`, ...longest.map(({ ms, what }) => `  ${ms} ms: ${what}`), ''].join('\n');

/** @throws Error for a response that is never valid, such as a 5xx */
function assertBoundedAnswer(what: string, { status, headers, body, text }: Answer): void {
  const bytes = Buffer.byteLength(text);
  const fault = (problem: string) => new Error(`${what} was answered with ${problem}: ${text.slice(0, 500)}`);
  if (status >= 500) throw fault(String(status));
  if (status < 400) {
    if (bytes > MAX_ANSWER_BYTES) throw fault(`${bytes} bytes`);
    return;
  }
  const problem = body as ProblemBody;
  if (!(headers.get('content-type') ?? '').startsWith('application/problem+json') || problem.status !== status)
    throw fault(`${status} that is no problem`);
  if (bytes > (problem.differences ? MAX_DIFFERENCE_BYTES : MAX_REFUSAL_BYTES))
    throw fault(`a refusal of ${bytes} bytes`);
  if ((problem.errors?.length ?? 0) > MAX_FAULTS) throw fault(`more than ${MAX_FAULTS} faults`);
}
