import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../backend/test/support/eventually.ts';
import { createApi } from '../client/api.ts';
import { Connection, NO_CREDENTIAL } from '../client/connection.ts';
import { type AnswerHandler, type FakeService, fakeService, json, problem } from '../client/fake-service.ts';
import type { Session } from '../client/session.ts';
import { type FakeSurroundings, fakeSurroundings } from '../terminal/fake-surroundings.ts';
import { Output } from '../terminal/output.ts';
import { streamRunEvents } from './stream/events.ts';
import { StoppedFollowing } from './interrupts.ts';
import { startRun } from './start.ts';
import type { Run } from './run.ts';
import { watchRun } from './watch.ts';

const ID = '01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79';
const RUN = {
  ...{ id: ID, status: 'RUNNING', finished: false, successful: null, statusReason: null, lastEventId: 0, digest: 'd' },
  ...{ planName: 'deploy', environmentName: 'prod', webUrl: `http://x/executions/${ID}`, pause: null, approval: null },
  summary: { hostCounts: {}, durationMs: 1200, verdicts: null, firstFailure: null },
  ...{ hosts: [{ serverId: 's1', name: 'web-1' }], hostsNextCursor: null, unknownHosts: [] },
} as unknown as Run;
const ended = (status: string) => ({ ...RUN, status, finished: true, successful: status === 'SUCCEEDED' });

let service: FakeService | null = null;
afterEach(() => service?.close());

async function sessionWith(
  answer: AnswerHandler,
  surroundings: FakeSurroundings = fakeSurroundings(),
  retryForMs = 20_000,
): Promise<Session> {
  service = await fakeService(answer);
  const connection = new Connection({
    base: service.url,
    credential: NO_CREDENTIAL,
    retryForMs,
    onConnectionTrouble: () => undefined,
    agent: 'test',
  });
  return { api: createApi(connection), connection, out: new Output(surroundings), surroundings };
}

const frame = (id: number, type: string, data: object) =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const line = (number: number) =>
  frame(number, 'output.appended', {
    lines: [{ serverId: 's1', stepKey: 'one', stream: 'stdout', line: number, text: `line ${number}`, partial: false }],
  });

/** Answers with a stream of 200 lines. It is cut repeatedly, even within an event, and once the answer is 502. */
function cutStream(every: number): AnswerHandler {
  let connections = 0;
  return ({ path, headers }, response: ServerResponse) => {
    if (!path.endsWith('/stream')) return json(response, 200, ended('SUCCEEDED'));
    connections += 1;
    if (connections === 3) return void response.writeHead(502).end();
    const from = Number(headers['last-event-id'] ?? 0);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': still here\n\n');
    for (let number = from + 1; number <= Math.min(200, from + every); number += 1) response.write(line(number));
    if (from + every > 200) return void response.end(frame(201, 'execution.finished', { status: 'SUCCEEDED' }));
    response.write(line(from + every + 1).slice(0, 30), () => setTimeout(() => response.destroy(), 5));
  };
}

describe('following', () => {
  it('continues after the last line when connections break within events: no line is lost or repeated', async () => {
    const surroundings = fakeSurroundings();
    const session = await sessionWith(cutStream(37), surroundings);
    expect(await watchRun(session, RUN, { follow: true, onPause: 'exit', timeoutMs: null, after: 0 }, {})).toBe(0);
    const lines = surroundings
      .out()
      .split('\n')
      .filter((text) => text.startsWith('web-1 | '));
    expect(lines).toEqual(Array.from({ length: 200 }, (_, index) => `web-1 | line ${index + 1}`));
    expect(surroundings.out()).toContain('SUCCEEDED');
  });

  it('skips events that the service repeats', async () => {
    let connections = 0;
    const session = await sessionWith((_, response) => {
      connections += 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(line(1) + line(2) + (connections > 1 ? line(3) + frame(4, 'execution.finished', {}) : ''));
    });
    const ids = [];
    for await (const { id } of streamRunEvents(session, ID, 0, new AbortController().signal)) ids.push(id);
    expect(ids).toEqual([1, 2, 3, 4]);
  });

  it.each([true, false])('says that the run continues when the service stays away (follow: %s)', async (follow) => {
    const session = await sessionWith((_, response) => void response.writeHead(503).end(), fakeSurroundings(), 10);
    const watched = watchRun(session, RUN, { follow, onPause: 'exit', timeoutMs: null, after: 0 }, {});
    await expect(watched).rejects.toMatchObject({
      exitCode: 8,
      advice: expect.arrayContaining([`The run continues. Follow it: runward run follow ${ID}`]),
    });
  });

  it('ends after --timeout and says that the run continues', async () => {
    const surroundings = fakeSurroundings();
    const session = await sessionWith(({ path }, response) => {
      if (path.endsWith('/stream')) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(line(1));
      else json(response, 200, RUN);
    }, surroundings);
    expect(await watchRun(session, RUN, { follow: true, onPause: 'exit', timeoutMs: 150, after: 0 }, {})).toBe(7);
    expect(surroundings.err()).toContain('The run continues');
  });
});

describe('Ctrl-C', () => {
  const waiting = { follow: false, onPause: 'exit' as const, timeoutMs: null, after: 0 };
  /** Answers with a run that continues until it is cancelled. */
  const untilCancelled = (): AnswerHandler => {
    let over = false;
    const held: ServerResponse[] = [];
    return ({ path, method }, response) => {
      if (method === 'POST') {
        over = path.endsWith('/cancel');
        json(response, 200, RUN);
        for (const each of held) json(each, 200, ended('CANCELLED'));
      } else if (over) json(response, 200, ended('CANCELLED'));
      else held.push(response);
    };
  };
  const pressKeys = async (typed: string[], terminal = true) => {
    const surroundings = fakeSurroundings({ terminal, typed });
    const session = await sessionWith(untilCancelled(), surroundings);
    const watched = watchRun(session, RUN, waiting, {}).catch((error: unknown) => error);
    await eventually('the run is requested', () => service?.received.length !== 0);
    surroundings.signal('SIGINT');
    return { surroundings, watched, posted: () => service?.received.filter(({ method }) => method === 'POST').length };
  };

  it('asks on a terminal and cancels the run on "yes"', async () => {
    const { watched, surroundings, posted } = await pressKeys(['what?', 'Y']);
    expect(await watched).toBe(1);
    expect(surroundings.err()).toMatch(/Cancel the run\?.*\n?.*Cancel the run\?/);
    expect([posted(), surroundings.out()]).toEqual([1, expect.stringContaining('CANCELLED')]);
  });

  it('cancels the run with --on-interrupt cancel without a terminal, and reports its end', async () => {
    const surroundings = fakeSurroundings();
    const session = await sessionWith(untilCancelled(), surroundings);
    const watched = watchRun(session, RUN, { ...waiting, onInterrupt: 'cancel' }, {});
    await eventually('it waits', () => (service?.received.length ?? 0) > 0);
    surroundings.signal('SIGTERM');
    expect(await watched).toBe(1);
    expect(service?.received.filter(({ path }) => path.endsWith('/cancel'))).toHaveLength(1);
    expect(surroundings.err()).not.toContain('The run continues');
  });

  it('keeps watching on "no"', async () => {
    const { watched, surroundings, posted } = await pressKeys(['n', 'l']);
    await new Promise(setImmediate);
    surroundings.signal('SIGINT');
    expect(await watched).toMatchObject({ exitCode: 130 });
    expect([surroundings.err().split('Cancel the run?').length - 1, posted()]).toEqual([2, 0]);
  });

  it.each([
    ['at a terminal whose question has no answer', true, 'SIGINT', 130],
    ['without a terminal', false, 'SIGINT', 130],
    ['by SIGTERM', false, 'SIGTERM', 143],
  ] as const)('keeps the run running %s and prints how to follow it', async (_, terminal, signal, code) => {
    const surroundings = fakeSurroundings({ terminal });
    const session = await sessionWith(untilCancelled(), surroundings);
    const watched = watchRun(session, RUN, waiting, {}).catch((error: unknown) => error);
    await eventually('the run is requested', () => service?.received.length !== 0);
    surroundings.signal(signal);
    const left = await watched;
    expect(left).toBeInstanceOf(StoppedFollowing);
    expect([(left as StoppedFollowing).exitCode, surroundings.err()]).toEqual([
      code,
      expect.stringContaining(`runward run follow ${ID}`),
    ]);
    expect(service?.received.some(({ method }) => method === 'POST')).toBe(false);
  });
});

describe('a start', () => {
  const body = { planId: ID, execution_mode: 'auto' as const };

  it('is repeated with the same key and body after lost connections and restarts', async () => {
    const troubles: AnswerHandler[] = [
      (_, response) => void response.destroy(),
      (_, response) => json(response, 503, problem(503, 'database_unavailable')),
      (_, response) =>
        void response
          .writeHead(201, { 'content-type': 'application/json', 'content-length': '999' })
          .write('{"id":', () => response.destroy()),
    ];
    const session = await sessionWith((received, response) => {
      const next = troubles.shift();
      if (next) next(received, response);
      else json(response, 201, RUN);
    });
    expect(await startRun(session, null, body)).toMatchObject({ id: ID });
    const received = service?.received ?? [];
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(received.map((one) => one.body))).toEqual(new Set([JSON.stringify(body)]));
  });

  it('has a new key each time and prints it when no response came', async () => {
    const session = await sessionWith((_, response) => void response.destroy(), undefined, 0);
    const failures = [];
    for (const key of [null, null, 'mine'])
      failures.push(await startRun(session, key, body).catch((error: unknown) => error));
    const keys = service?.received.map(({ headers }) => String(headers['idempotency-key'])) ?? [];
    expect(new Set(keys).size).toBe(3);
    for (const [index, failure] of failures.entries())
      expect(failure).toMatchObject({
        exitCode: 8,
        problem: { idempotencyKey: keys[index] },
        advice: expect.arrayContaining([expect.stringContaining(`--idempotency-key ${keys[index]}`)]),
      });
  });

  it('prints its start time with the key, because a delay would be another time at the next call', async () => {
    const session = await sessionWith((_, response) => void response.destroy(), undefined, 0);
    const startAt = '2026-12-01T01:00:00.000Z';
    await expect(startRun(session, 'k-2', { ...body, startAt })).rejects.toMatchObject({
      advice: expect.arrayContaining([expect.stringContaining(`--idempotency-key k-2 --start-at ${startAt} within`)]),
    });
  });

  it('interrupted by Ctrl-C before its response prints how to find the run', async () => {
    const surroundings = fakeSurroundings();
    const session = await sessionWith(() => surroundings.signal('SIGINT'), surroundings);
    await expect(startRun(session, 'k-1', body)).rejects.toMatchObject({ exitCode: 130 });
    expect(surroundings.err()).toContain('--idempotency-key k-1');
  });

  it('that is refused is not repeated', async () => {
    const session = await sessionWith((_, response) => json(response, 409, problem(409, 'run_overlap')));
    await expect(startRun(session, null, body)).rejects.toMatchObject({ exitCode: 6 });
    expect(service?.received).toHaveLength(1);
  });
});

it('a waiting client uses long polling', async () => {
  const session = await sessionWith(({ path }, response) =>
    json(response, 200, path.includes('wait=50&until=settled') ? ended('SUCCEEDED') : RUN),
  );
  expect(await watchRun(session, RUN, { follow: false, onPause: 'exit', timeoutMs: null, after: 0 }, {})).toBe(0);
  expect(service?.received.map(({ path }) => path)).toEqual([`/api/executions/${ID}?wait=50&until=settled`]);
});
