import { createParser } from 'eventsource-parser';
import { problemOf } from './errors';
import { claimStream, type StreamClaim } from './stream-claims';
import { untilSessionResumed } from './session-resume';

export interface StreamEvent {
  type: string;
  data: string;
}

/** `catching-up`: connected again; events from the time without a connection are being received. */
export type StreamState = 'connecting' | 'live' | 'reconnecting' | 'catching-up' | 'closed';

export interface StreamHandlers {
  onEvents: (events: StreamEvent[]) => void;
  onState: (state: StreamState) => void;
  /**
   * Called when the server refused the stream: the record was deleted, or the session ended. In the second case, the
   * stream resumes after the next sign-in.
   */
  onRefused: (problem: Error) => void;
}

const INITIAL_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
/** Interval of the server's comments, with a second of delay, in ms. */
const HEARTBEAT_MS = 6_000;
/** Maximum silence of a connection, in ms: two missing comments mean that the connection is lost. */
const IDLE_TIMEOUT_MS = 2 * HEARTBEAT_MS;
/** Comment that follows all events that were stored when the connection was opened. */
const UP_TO_DATE = 'up to date';
/**
 * Time after which a hidden page closes its connection, in ms. The stream resumes when the page is visible again.
 * Browsers open at most six connections to a server (HTTP/1.1), so a few forgotten tabs would block all others.
 */
const HIDDEN_MS = 5_000;
/** Silence after which a polling page closes its connection, and the time until it connects again, in ms. */
const POLL_IDLE_MS = 250;
const POLL_INTERVAL_MS = 3_000;

/**
 * Follows a stream of server-sent events until its last event. Reconnects with exponential backoff.
 * @returns cleanup
 */
export function followStream(
  url: string,
  isLast: (event: StreamEvent) => boolean,
  handlers: StreamHandlers,
): () => void {
  let lastId: string | null = null;
  let received: StreamEvent[] = [];
  let isUpToDate = false;
  const parser = createParser({
    onId: (id) => (lastId = id),
    onEvent: ({ event, data }) => received.push({ type: event ?? 'message', data }),
    onComment: (comment) => (isUpToDate ||= comment.trim() === UP_TO_DATE),
  });
  const stop = new AbortController();
  let delay = INITIAL_DELAY_MS;
  let state: StreamState | null = null;
  const report = (next: StreamState) => {
    if (next !== state) handlers.onState(next);
    state = next;
  };

  async function connect(claim: StreamClaim): Promise<'over' | 'broken' | 'signed-out' | 'polled'> {
    const attempt = new AbortController();
    const signal = AbortSignal.any([stop.signal, attempt.signal]);
    let watchdog = window.setTimeout(() => attempt.abort(), IDLE_TIMEOUT_MS);
    let silentSince = Date.now();
    let polled = false;
    let pollTimer = 0;
    const stopWatching = onLongHidden(() => attempt.abort());
    const stopProbing = onWake((networkChanged) => {
      if (!networkChanged && Date.now() - silentSince <= HEARTBEAT_MS) return;
      delay = INITIAL_DELAY_MS;
      attempt.abort();
    });
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream' };
      if (lastId !== null) headers['Last-Event-ID'] = lastId;
      const response = await fetch(url, { headers, signal, credentials: 'same-origin', cache: 'no-store' });
      if (response.status === 204) return 'over';
      if ([401, 403, 404].includes(response.status)) {
        handlers.onRefused(problemOf(response, await response.json().catch(() => null)));
        return response.status === 401 ? 'signed-out' : 'over';
      }
      if (!response.ok || !response.body) return 'broken';
      // A new connection starts with a complete event, so the partial one is dropped.
      parser.reset();
      received = [];
      isUpToDate = false;
      silentSince = Date.now();
      if (state === 'reconnecting') report('catching-up');
      pollTimer = window.setInterval(() => {
        if (!isUpToDate || !claim.isCrowded() || Date.now() - silentSince < POLL_IDLE_MS) return;
        polled = true;
        attempt.abort();
      }, POLL_IDLE_MS);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'broken';
        silentSince = Date.now();
        window.clearTimeout(watchdog);
        watchdog = window.setTimeout(() => attempt.abort(), IDLE_TIMEOUT_MS);
        parser.feed(value);
        const events = received;
        received = [];
        if (events.length > 0) {
          delay = INITIAL_DELAY_MS;
          handlers.onEvents(events);
        }
        if (events.some(isLast)) return 'over';
        if (isUpToDate) report('live');
      }
    } catch {
      return polled ? 'polled' : 'broken';
    } finally {
      window.clearTimeout(watchdog);
      window.clearInterval(pollTimer);
      stopWatching();
      stopProbing();
      attempt.abort();
    }
  }

  async function follow(): Promise<void> {
    report('connecting');
    while (!stop.signal.aborted) {
      await untilVisible(stop.signal);
      claim ??= claimStream();
      const outcome = await connect(claim);
      if (outcome === 'over') break;
      if (stop.signal.aborted) return;
      if (outcome === 'polled') {
        claim.refresh();
        await pause(POLL_INTERVAL_MS, stop.signal);
        continue;
      }
      if (document.hidden) releaseClaim();
      report('reconnecting');
      if (outcome === 'signed-out') {
        await untilSessionResumed(stop.signal);
        continue;
      }
      if (!document.hidden) await pause(delay * (0.75 + Math.random() / 2), stop.signal);
      delay = Math.min(delay * 2, MAX_DELAY_MS);
    }
    if (!stop.signal.aborted) report('closed');
  }

  let claim: StreamClaim | null = null;
  const releaseClaim = () => {
    claim?.release();
    claim = null;
  };
  void follow().finally(releaseClaim);
  return () => {
    stop.abort();
    releaseClaim();
  };
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

/**
 * Calls `call` when the page has been hidden for a while.
 * @returns cleanup
 */
function onLongHidden(call: () => void): () => void {
  let timer = 0;
  const check = () => {
    window.clearTimeout(timer);
    if (document.hidden) timer = window.setTimeout(call, HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', check);
  check();
  return () => {
    window.clearTimeout(timer);
    document.removeEventListener('visibilitychange', check);
  };
}

/**
 * Calls `call` when the network comes or goes, and when the page is visible again: a connection may have died unnoticed.
 * @returns cleanup
 */
function onWake(call: (networkChanged: boolean) => void): () => void {
  const end = new AbortController();
  const { signal } = end;
  for (const type of ['online', 'offline']) window.addEventListener(type, () => call(true), { signal });
  document.addEventListener('visibilitychange', () => !document.hidden && call(false), { signal });
  return () => end.abort();
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check, { once: true });
    check();
  });
}
