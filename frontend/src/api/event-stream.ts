import { problemOf } from './errors';
import { untilSessionResumed } from './session-end';
import { SseParser, type StreamEvent } from './sse-parser';

export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'closed';

export interface StreamHandlers {
  onEvents: (events: StreamEvent[]) => void;
  onState: (state: StreamState) => void;
  /** The stream can't go on: the record is gone; or nobody is signed in, then it goes on when somebody is again. */
  onRefused: (problem: Error) => void;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;
/** The server sends a comment every 15 s; a connection that is silent for longer than this is dead. */
const SILENCE_MS = 40_000;
/**
 * A page that nobody looks at lets its connection go after this long and takes up where it was when somebody does: a
 * browser opens six to one server at the most, so a handful of forgotten tabs would keep every other one from loading.
 */
const UNSEEN_MS = 5_000;

/**
 * Follows a stream of server-sent events until it is over, reconnecting with growing pauses where it broke off.
 * @returns ends it
 */
export function followStream(
  url: string,
  isLast: (event: StreamEvent) => boolean,
  handlers: StreamHandlers,
): () => void {
  const parser = new SseParser();
  const stop = new AbortController();
  let delay = FIRST_DELAY_MS;

  async function connect(): Promise<'over' | 'broken' | 'signed-out'> {
    const attempt = new AbortController();
    const signal = AbortSignal.any([stop.signal, attempt.signal]);
    let watchdog = window.setTimeout(() => attempt.abort(), SILENCE_MS);
    const seeing = onUnseen(() => attempt.abort());
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream' };
      if (parser.lastId !== null) headers['Last-Event-ID'] = parser.lastId;
      const response = await fetch(url, { headers, signal, credentials: 'same-origin', cache: 'no-store' });
      if (response.status === 204) return 'over';
      if ([401, 403, 404].includes(response.status)) {
        handlers.onRefused(problemOf(response, await response.json().catch(() => null)));
        return response.status === 401 ? 'signed-out' : 'over';
      }
      if (!response.ok || !response.body) return 'broken';
      parser.reset();
      handlers.onState('live');
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'broken';
        window.clearTimeout(watchdog);
        watchdog = window.setTimeout(() => attempt.abort(), SILENCE_MS);
        const events = parser.push(value);
        if (events.length === 0) continue;
        delay = FIRST_DELAY_MS;
        handlers.onEvents(events);
        if (events.some(isLast)) return 'over';
      }
    } catch {
      return 'broken';
    } finally {
      window.clearTimeout(watchdog);
      seeing();
      attempt.abort();
    }
  }

  async function follow(): Promise<void> {
    handlers.onState('connecting');
    while (!stop.signal.aborted) {
      await untilSeen(stop.signal);
      const outcome = await connect();
      if (outcome === 'over') break;
      if (stop.signal.aborted) return;
      handlers.onState('reconnecting');
      if (outcome === 'signed-out') {
        await untilSessionResumed(stop.signal);
        continue;
      }
      if (!document.hidden) await pause(delay * (0.75 + Math.random() / 2), stop.signal);
      delay = Math.min(delay * 2, LONGEST_DELAY_MS);
    }
    if (!stop.signal.aborted) handlers.onState('closed');
  }

  void follow();
  return () => stop.abort();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    const go = () => {
      window.clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', go, { once: true });
    window.addEventListener('online', go, { once: true });
  });
}

/** Calls when the page has been out of sight for a while. @returns ends that */
function onUnseen(call: () => void): () => void {
  let timer = 0;
  const look = () => {
    window.clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(call, UNSEEN_MS);
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    window.clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}

/** Waits while the page is out of sight. */
function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look, { once: true });
    look();
  });
}
