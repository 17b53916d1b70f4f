import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../../test/support/api-client.js';
import { type EventClient, followEvents, type StreamEvent } from '../../../test/support/event-client.js';
import { eventually } from '../../../test/support/eventually.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import type { ExecutionView } from '../contract/execution.view.js';
import { RUN_EVENTS } from '../../outbox/event-types.js';

let lab: RunLab;
let otherUrl: string;

const follow = (id: string, query = '', headers: Record<string, string> = {}, client = lab.runward.url) =>
  followEvents(`${client}/api/executions/${id}/stream${query}`, {
    authorization: `Bearer ${lab.admin.token}`,
    ...headers,
  });
const place = (event: StreamEvent) =>
  [event.type, event.data.stepKey, event.data.serverId ? nameOf(event.data.serverId) : undefined]
    .filter(Boolean)
    .join(' ');
const nameOf = (id: unknown) => lab.servers.find((server) => server.id === id)?.name;
const linesOf = (events: StreamEvent[]) =>
  events
    .flatMap(({ data }) => data.lines ?? [])
    .map(({ stepKey, serverId, stream, line, text }) => ({ stepKey, serverId, stream, line, text }));
const storedLines = async (id: string) =>
  (await lab.lines(id, 'limit=5000')).map(({ stepKey, serverId, stream, line, text }) => ({
    stepKey,
    serverId,
    stream,
    line,
    text,
  }));
/** Everything but comments. */
const framesOf = (client: EventClient | undefined) => client?.raw().replaceAll(/^:.*\n\n/gm, '');
const CHATTY = 'i=0; while [ $i -lt 12 ]; do i=$((i+1)); echo "out $i"; echo "err $i" >&2; sleep 0.1; done';

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  otherUrl = await lab.runward.anotherApi();
  await lab.runward.worker();
});
afterAll(() => lab.close());

describe('the stream of a run', () => {
  let run: ExecutionView;
  let watchers: EventClient[];
  let events: StreamEvent[];

  beforeAll(async () => {
    run = await lab.start(
      await lab.plan([
        { key: 'one', command: CHATTY },
        { key: 'two', command: 'echo two', targets: 'role=web' },
      ]),
    );
    watchers = await Promise.all([follow(run.id), follow(run.id), follow(run.id, '', {}, otherUrl)]);
    await Promise.all(watchers.map(({ ended }) => ended));
    events = watchers[0]?.events ?? [];
  });

  it('is a stream of events with ids that ascend without a gap, all of the catalogue', () => {
    expect(watchers[0]).toMatchObject({ status: 200, contentType: 'text/event-stream; charset=utf-8' });
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    for (const { type } of events) expect(Object.keys(RUN_EVENTS)).toContain(type);
    for (const { data } of events) expect(data).toMatchObject({ executionId: run.id, at: expect.stringMatching(/Z$/) });
  });

  it('reports statuses, steps and hosts in order, and closes after the end', () => {
    const places = events.filter(({ type }) => type !== 'output.appended').map(place);
    const order = (...wanted: string[]) =>
      expect(wanted.map((each) => places.indexOf(each))).toEqual(
        [...wanted.map((each) => places.indexOf(each))].sort((a, b) => a - b),
      );
    expect(new Set(places)).toEqual(
      new Set([
        ...[
          'execution.status_changed',
          'step.started one',
          'host.started one web-1',
          'host.started one web-2',
          'host.finished one web-1',
          'host.finished one web-2',
        ],
        ...[
          'step.finished one',
          'step.started two',
          'host.started two web-1',
          'host.finished two web-1',
          'step.finished two',
          'execution.finished',
        ],
      ]),
    );
    order(
      'execution.status_changed',
      'step.started one',
      'host.started one web-1',
      'host.finished one web-1',
      'step.finished one',
      'step.started two',
    );
    order(
      'step.started one',
      'host.started one web-2',
      'host.finished one web-2',
      'step.finished one',
      'step.started two',
      'host.started two web-1',
    );
    order('host.started two web-1', 'host.finished two web-1', 'step.finished two', 'execution.finished');
    expect(events.filter(({ type }) => type === 'execution.status_changed').map(({ data }) => data.status)).toEqual([
      'PENDING',
      'RUNNING',
      'SUCCEEDED',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'execution.finished', data: { status: 'SUCCEEDED' } });
  });

  it('contains each line of output once, before the end of the host that wrote it', async () => {
    expect(linesOf(events)).toEqual(await storedLines(run.id));
    for (const { id } of lab.servers) {
      const finished = events.findIndex(
        ({ type, data }) => type === 'host.finished' && data.serverId === id && data.stepKey === 'one',
      );
      const own = events.flatMap(({ data }, index) =>
        (data.lines ?? []).filter((line) => line.serverId === id && line.stepKey === 'one').map(() => index),
      );
      expect(own).toHaveLength(24);
      expect(Math.max(...own)).toBeLessThan(finished);
    }
  });

  it('contains output while the command still runs', () => {
    const appended = events.filter(
      ({ type, data }) => type === 'output.appended' && data.lines?.[0]?.stepKey === 'one',
    );
    expect(appended.length).toBeGreaterThan(2);
  });

  it('is the same for every watcher, byte for byte, at any API process', () => {
    expect(framesOf(watchers[1])).toBe(framesOf(watchers[0]));
    expect(framesOf(watchers[2])).toBe(framesOf(watchers[0]));
  });

  it('says once when all stored events were sent', () => {
    for (const watcher of watchers) expect(watcher.raw().match(/^: up to date$/gm)).toHaveLength(1);
  });

  it('contains all events for a client that begins after the end', async () => {
    const late = await follow(run.id);
    await late.ended;
    expect(framesOf(late)).toBe(framesOf(watchers[0]));
  });

  it('responds with 204 to a client that returns after the last event', async () => {
    const last = events.length;
    expect((await follow(run.id, '', { 'last-event-id': String(last) })).status).toBe(204);
    expect((await follow(run.id, `?after=${last}`)).status).toBe(204);
    const before = await follow(run.id, `?after=${last - 1}`);
    await before.ended;
    expect(before.events.map(({ type }) => type)).toEqual(['execution.finished']);
  });

  it.each(['x', '-1', '1.5', '1e3', '9999999999'])('refuses a last event ID that is none: %s', async (value) => {
    expect((await follow(run.id, '', { 'last-event-id': value })).status).toBe(400);
    expect((await follow(run.id, `?after=${value}`)).status).toBe(400);
  });

  it('continues after the header rather than after the parameter when both are set', async () => {
    const resumed = await follow(run.id, '?after=1', { 'last-event-id': '5' });
    await resumed.ended;
    expect(resumed.events[0]?.id).toBe(6);
  });
});

describe('a client whose connection breaks repeatedly', () => {
  it.each([1, 2, 3])('misses nothing and receives nothing twice (%i)', async (seed) => {
    const random = seededRandom(seed);
    const { id } = await lab.start(await lab.plan([CHATTY, 'echo end']));
    const seen: StreamEvent[] = [];
    for (let connections = 0; seen.at(-1)?.type !== 'execution.finished'; connections += 1) {
      expect(connections).toBeLessThan(200);
      let left = 1 + random.int(4);
      const last = seen.at(-1)?.id;
      const byHeader = random.int(2) === 0;
      const headers: Record<string, string> = { authorization: `Bearer ${lab.admin.token}` };
      if (last !== undefined && byHeader) headers['last-event-id'] = String(last);
      const door = random.pick([lab.runward.url, otherUrl]);
      const query = last !== undefined && !byHeader ? `?after=${last}` : '';
      const client = await followEvents(`${door}/api/executions/${id}/stream${query}`, headers, (event) => {
        seen.push(event);
        left -= 1;
        return left > 0 && event.type !== 'execution.finished';
      });
      await client.ended;
    }
    expect(seen.map((event) => event.id)).toEqual(seen.map((_, index) => index + 1));
    expect(linesOf(seen)).toEqual(await storedLines(id));
  });
});

describe('a client that reads slowly', () => {
  it('receives a long output completely and in order', async () => {
    const lines = 120_000;
    const run = await lab.run([`seq -w 1 ${lines}`], { targets: 'name=web-1' });
    const client = await follow(run.id);
    await client.ended;
    expect(client.events.at(-1)?.type).toBe('execution.finished');
    // On a slow machine, one line may arrive in two parts.
    const texts = client.events
      .flatMap(({ data }) => data.lines ?? [])
      .reduce<string[]>((whole, { text, continues }) => {
        whole.push(continues ? `${whole.pop() ?? ''}${text}` : text);
        return whole;
      }, []);
    expect(texts.length).toBe(lines);
    expect(texts.every((text, index) => Number(text) === index + 1)).toBe(true);
  });
});

describe('a watcher without permission', () => {
  it('is refused before the stream begins: without credentials, of another tenant, or for an unknown run', async () => {
    const { id } = await lab.run(['true']);
    const stranger = await lab.runward.tenant();
    const problem = { contentType: expect.stringContaining('application/problem+json') };
    expect(await followEvents(`${lab.runward.url}/api/executions/${id}/stream`, {})).toMatchObject({
      status: 401,
      ...problem,
    });
    expect(await follow(id, '', { authorization: `Bearer ${stranger.token}` })).toMatchObject({
      status: 404,
      ...problem,
    });
    expect(await follow('01990000-0000-7000-8000-000000000000')).toMatchObject({ status: 404, ...problem });
    expect(await follow(id, '?after=soon')).toMatchObject({ status: 400, ...problem });
    expect(await follow(id, '?since=1')).toMatchObject({ status: 400, ...problem });
  });

  it('is disconnected when the token is revoked while the run continues', async () => {
    const { body } = await lab.api.post<{ id: string; token: string }>('/api/tokens', { name: 'short-lived' });
    const { id } = await lab.start(await lab.plan([`until [ -e ${lab.evidence}/revoked ]; do sleep 0.1; done`]));
    const watcher = await follow(id, '', { authorization: `Bearer ${body.token}` });
    const faithful = await follow(id);
    await eventually('both watchers see the run', () => watcher.events.length > 0 && faithful.events.length > 0);
    await lab.api.delete(`/api/tokens/${body.id}`);
    await watcher.ended;
    await writeFile(`${lab.evidence}/revoked`, '');
    await faithful.ended;
    expect(faithful.events.at(-1)?.type).toBe('execution.finished');
    expect((await apiClient(lab.runward.url, { token: body.token }).get('/api/auth/me')).status).toBe(401);
  });
});

describe('watchers that leave during authentication', () => {
  it('leave nothing behind that affects later ones', async () => {
    const { id } = await lab.start(await lab.plan([`until [ -e ${lab.evidence}/hasty ]; do sleep 0.1; done`]));
    const url = `${lab.runward.url}/api/executions/${id}/stream`;
    const headers = { authorization: `Bearer ${lab.admin.token}` };
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const abort = new AbortController();
        const asked = fetch(url, { headers, signal: abort.signal }).catch(() => undefined);
        for (let turns = 0; turns < n % 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
        abort.abort();
        await asked;
      }),
    );
    const watcher = await follow(id);
    await writeFile(`${lab.evidence}/hasty`, '');
    await watcher.ended;
    expect(watcher.events.at(-1)?.type).toBe('execution.finished');
  });
});
