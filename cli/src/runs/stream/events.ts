import { createParser } from 'eventsource-parser';
import type { Schemas } from '../../client/api.ts';
import { sleep } from '../../client/pause.ts';
import { toFailure } from '../../client/problems.ts';
import { pauseBeforeAttempt } from '../../client/repeat.ts';
import type { Session } from '../../client/session.ts';

type Line = Schemas['StreamLineView'];

/** Event of a run's stream. The API documents `data` for each kind. */
export interface RunEvent {
  id: number;
  type: string;
  data: {
    status?: string;
    stepKey?: string | null;
    serverId?: string;
    lines?: Line[];
    reason?: { code: string; text: string } | null;
    exitCode?: number | null;
    signal?: string | null;
    verdict?: string;
    [more: string]: unknown;
  };
}

export const FINISHED_EVENT = 'execution.finished';
/**
 * Maximum silence of a connection, in ms. The service sends a comment every 15 s, so a longer silence means that the
 * connection is lost.
 */
const MAX_SILENCE_MS = 40_000;

/**
 * Yields the events of a run after `after`, up to its last one. After a lost connection, reconnects and continues after
 * the last yielded event, so no event is lost or repeated.
 */
export async function* streamRunEvents(
  { connection }: Session,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void> {
  let last = after;
  for (let failedAttempts = 0; ; failedAttempts += 1) {
    if (failedAttempts > 0) await sleep(pauseBeforeAttempt(failedAttempts, null, Math.random()), signal);
    const request = new Request(`${connection.options.base}/api/executions/${id}/stream`, {
      headers: { Accept: 'text/event-stream', ...(last > 0 ? { 'Last-Event-ID': String(last) } : {}) },
      signal,
    });
    const response = await connection.send(request, { streamed: true });
    if (response.status === 204) return;
    if (!response.ok || response.body === null) throw toFailure(response, await response.text());
    for await (const event of parseEvents(response.body, signal)) {
      if (event.id <= last) continue;
      yield event;
      last = event.id;
      failedAttempts = 0;
      if (event.type === FINISHED_EVENT) return;
    }
  }
}

/** Yields the events of one connection, until it ends, is lost or is silent. */
async function* parseEvents(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<RunEvent, void> {
  let received: RunEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      const number = Number(id);
      if (Number.isSafeInteger(number))
        received.push({ id: number, type: event ?? '', data: JSON.parse(data) as RunEvent['data'] });
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const chunk = await withSilenceLimit(reader.read());
      if (chunk === null || chunk.done) return;
      parser.feed(chunk.value);
      const events = received;
      received = [];
      yield* events;
    }
  } catch {
    // The connection was lost, so the caller reconnects.
    signal.throwIfAborted();
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function withSilenceLimit<T>(read: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), MAX_SILENCE_MS);
  });
  try {
    return await Promise.race([read, silent]);
  } finally {
    clearTimeout(timer);
  }
}
