import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followStream, type StreamEvent, type StreamState } from './event-stream';
import { sessionResumed } from './session-resume';

class Page extends EventTarget {
  hidden = false;

  setHidden(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

const UP_TO_DATE = ': up to date\n\n';

/** Simulates a server whose connections stay open until the test ends them. */
class Server {
  readonly requests: { url: string; lastEventId: string | null; signal: AbortSignal }[] = [];
  answers: (() => Response)[] = [];
  /** Whether a new connection begins after the last event. */
  upToDate = true;
  #connections: ReadableStreamDefaultController<Uint8Array>[] = [];

  readonly fetch = async (
    url: string,
    { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
  ) => {
    this.requests.push({ url, lastEventId: headers['Last-Event-ID'] ?? null, signal });
    const answer = this.answers.shift();
    if (answer) return answer();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#connections.push(controller);
        if (this.upToDate) controller.enqueue(new TextEncoder().encode(UP_TO_DATE));
        signal.addEventListener('abort', () => controller.error(new DOMException('aborted', 'AbortError')));
      },
    });
    return new Response(body, { status: 200 });
  };

  send(data: string | Uint8Array): Promise<void> {
    this.#connections.at(-1)?.enqueue(typeof data === 'string' ? new TextEncoder().encode(data) : data);
    return settled();
  }

  closeConnection(): Promise<void> {
    this.#connections.at(-1)?.close();
    return settled();
  }
}

const settled = async () => {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  await vi.advanceTimersByTimeAsync(0);
};

let page: Page;
let server: Server;
let events: StreamEvent[];
let batches: number;
let states: StreamState[];
let refusals: Error[];
let stop: () => void;

async function follow(): Promise<void> {
  stop = followStream('/stream?after=7', ({ type }) => type === 'finished', {
    onEvents: (more) => {
      events.push(...more);
      batches += 1;
    },
    onState: (state) => states.push(state),
    onRefused: (problem) => refusals.push(problem),
  });
  await settled();
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  page = new Page();
  server = new Server();
  [events, batches, states, refusals] = [[], 0, [], []];
  const surroundings = Object.assign(new EventTarget(), {
    setTimeout: (call: () => void, ms: number) => setTimeout(call, ms),
    clearTimeout: (timer: NodeJS.Timeout) => clearTimeout(timer),
    setInterval: (call: () => void, ms: number) => setInterval(call, ms),
    clearInterval: (timer: NodeJS.Timeout) => clearInterval(timer),
  });
  vi.stubGlobal('window', surroundings);
  vi.stubGlobal('document', page);
  vi.stubGlobal('fetch', server.fetch);
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a followed event stream', () => {
  it('delivers events with their types, those of one chunk together', async () => {
    await follow();
    await server.send('id: 1\nevent: host.started\ndata: {"a":1}\n\nid: 2\ndata: plain\n\n');
    expect(events).toEqual([
      { type: 'host.started', data: '{"a":1}' },
      { type: 'message', data: 'plain' },
    ]);
    expect(batches).toBe(1);
  });

  it('puts events together that arrive in pieces, even within a character and between CR and LF', async () => {
    await follow();
    const bytes = new TextEncoder().encode('event: note\r\ndata: caf\u00e9 \u{1f680}\r\n\r\ndata: next\n\n');
    for (const byte of bytes) await server.send(Uint8Array.of(byte));
    expect(events).toEqual([
      { type: 'note', data: 'caf\u00e9 \u{1f680}' },
      { type: 'message', data: 'next' },
    ]);
  });

  it('joins several data lines and ignores comments, unknown fields and events without data', async () => {
    await follow();
    await server.send('retry: 1000\n\n: still here\n\nevent: empty\n\ncolor: red\ndata: one\ndata:two\n\n');
    expect(events).toEqual([{ type: 'message', data: 'one\ntwo' }]);
  });

  it('is over after the last event and asks for nothing more', async () => {
    await follow();
    await server.send('event: finished\ndata: {}\n\n');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(states).toEqual(['connecting', 'live', 'closed']);
    expect(server.requests).toHaveLength(1);
  });

  it('resumes after the last id that it saw, also when that came without data', async () => {
    await follow();
    await server.send('id: 41\ndata: x\n\nid: 42\n\n');
    await server.closeConnection();
    await vi.advanceTimersByTimeAsync(600);
    expect(server.requests.map(({ lastEventId }) => lastEventId)).toEqual([null, '42']);
    expect(states).toEqual(['connecting', 'live', 'reconnecting', 'catching-up', 'live']);
  });

  it('is live only after the server has sent all earlier events', async () => {
    server.upToDate = false;
    await follow();
    await server.send('id: 1\ndata: old\n\n: still here\n\n');
    expect(states).toEqual(['connecting']);
    await server.send(`id: 2\ndata: last\n\n${UP_TO_DATE}`);
    expect(states).toEqual(['connecting', 'live']);
    await server.closeConnection();
    await vi.advanceTimersByTimeAsync(600);
    await server.send('id: 3\ndata: missed\n\n');
    expect(states.slice(2)).toEqual(['reconnecting', 'catching-up']);
    await server.send(UP_TO_DATE);
    expect(states.slice(2)).toEqual(['reconnecting', 'catching-up', 'live']);
  });

  it('forgets half an event when the connection breaks off, and its id too', async () => {
    await follow();
    await server.send('id: 1\ndata: whole\n\nid: 2\ndata: ha');
    await server.closeConnection();
    await vi.advanceTimersByTimeAsync(600);
    await server.send('id: 2\ndata: half\n\n');
    expect(server.requests[1]?.lastEventId).toBe('1');
    expect(events.map(({ data }) => data)).toEqual(['whole', 'half']);
  });

  it('waits twice as long after each failure, at most 15 seconds, and starts over after an event', async () => {
    server.answers = Array.from({ length: 7 }, () => () => new Response('', { status: 503 }));
    await follow();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      const start = Date.now();
      while (server.requests.length === attempt) await vi.advanceTimersByTimeAsync(50);
      waits.push(Math.round((Date.now() - start) / 100) * 100);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    await server.send('data: x\n\n');
    await server.closeConnection();
    await vi.advanceTimersByTimeAsync(600);
    expect(server.requests).toHaveLength(9);
  });

  it('takes a connection for dead after two missing comments, but not one with comments', async () => {
    await follow();
    for (let time = 0; time < 60; time += 5) {
      await vi.advanceTimersByTimeAsync(5_000);
      await server.send(': still here\n\n');
    }
    await vi.advanceTimersByTimeAsync(11_000);
    expect(states).toEqual(['connecting', 'live']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(states).toEqual(['connecting', 'live', 'reconnecting']);
    await vi.advanceTimersByTimeAsync(600);
    expect(states.slice(3)).toEqual(['catching-up', 'live']);
  });

  it('gives up a request that gets no answer, and repeats it', async () => {
    server.answers = [() => new Promise<Response>(() => undefined) as unknown as Response];
    await follow();
    server.requests[0]?.signal.addEventListener('abort', () => states.push('closed'));
    await vi.advanceTimersByTimeAsync(12_000);
    expect(states).toEqual(['connecting', 'closed']);
  });

  it('is over when the server has nothing more to send', async () => {
    server.answers = [() => new Response(null, { status: 204 })];
    await follow();
    expect(states).toEqual(['connecting', 'closed']);
    expect(refusals).toEqual([]);
  });

  it('gives up on a run that is gone or hidden', async () => {
    const problem = { status: 404, code: 'not_found', detail: 'There is no such run.' };
    server.answers = [() => Response.json(problem, { status: 404 })];
    await follow();
    expect(refusals).toMatchObject([{ code: 'not_found', message: 'There is no such run.' }]);
    expect(states).toEqual(['connecting', 'closed']);
  });

  it('waits for the next sign-in when the session has ended', async () => {
    server.answers = [() => Response.json({ status: 401, code: 'unauthorized', detail: 'Sign in.' }, { status: 401 })];
    await follow();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.requests).toHaveLength(1);
    sessionResumed();
    await settled();
    expect(server.requests).toHaveLength(2);
    expect(states).toEqual(['connecting', 'reconnecting', 'catching-up', 'live']);
  });

  it('lets its connection go when the page is hidden for 5 seconds, and resumes when it is visible', async () => {
    await follow();
    page.setHidden(true);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(server.requests[0]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.requests[0]?.signal.aborted).toBe(true);
    expect(server.requests).toHaveLength(1);
    page.setHidden(false);
    await settled();
    expect(server.requests).toHaveLength(2);
  });

  it('does not connect before a page that was opened in the background is visible', async () => {
    page.hidden = true;
    await follow();
    expect(server.requests).toHaveLength(0);
    page.setHidden(false);
    await settled();
    expect(server.requests).toHaveLength(1);
  });

  it('connects at once when the network is back', async () => {
    server.answers = [() => new Response('', { status: 502 })];
    await follow();
    window.dispatchEvent(new Event('online'));
    await settled();
    expect(server.requests).toHaveLength(2);
  });

  it.each(['online', 'offline'])('reconnects when the browser reports that it is %s', async (type) => {
    await follow();
    window.dispatchEvent(new Event(type));
    await settled();
    expect(states).toEqual(['connecting', 'live', 'reconnecting']);
    await vi.advanceTimersByTimeAsync(600);
    expect(states.slice(3)).toEqual(['catching-up', 'live']);
  });

  it('reconnects when a page that slept is visible, unless a comment arrived lately', async () => {
    await follow();
    page.setHidden(false);
    await settled();
    expect(states).toEqual(['connecting', 'live']);
    // Timers stand still while a laptop sleeps; its clock does not.
    vi.setSystemTime(Date.now() + 3_600_000);
    page.setHidden(false);
    await settled();
    expect(states.slice(2)).toEqual(['reconnecting']);
    await vi.advanceTimersByTimeAsync(600);
    expect(states.slice(3)).toEqual(['catching-up', 'live']);
  });

  it('polls while older streams of other pages are open, and stays connected without them', async () => {
    const sent: unknown[] = [];
    let receive: (message: object) => void = () => undefined;
    class Channel {
      set onmessage(call: (event: { data: object }) => void) {
        receive = (data) => call({ data });
      }
      postMessage = (message: unknown) => void sent.push(message);
    }
    Object.assign(window, { BroadcastChannel: Channel });
    await follow();
    for (const id of ['0 a', '0 b', '0 c']) receive({ type: 'claim', id });
    await server.send('id: 9\ndata: one\n\n');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(server.requests[0]?.signal.aborted).toBe(true);
    expect(sent.at(-1)).toEqual({ type: 'ask' });
    for (const id of ['0 a', '0 b', '0 c']) receive({ type: 'claim', id });
    await vi.advanceTimersByTimeAsync(2_400);
    expect(server.requests.map(({ lastEventId }) => lastEventId)).toEqual([null, '9']);
    receive({ type: 'release', id: '0 b' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.signal.aborted).toBe(false);
    expect(states).toEqual(['connecting', 'live']);
  });

  it('is silent after it was stopped', async () => {
    await follow();
    stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(states).toEqual(['connecting', 'live']);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.signal.aborted).toBe(true);
  });
});
