import type { Response } from 'express';

/**
 * Time after which a stalled reader is disconnected, in ms. It may be a sleeping machine or an attacker; each holds a
 * connection and memory indefinitely. A user who pauses a download for longer must restart it.
 */
export const STALL_TIMEOUT_MS = 2 * 60_000;

/**
 * Writes texts one by one, each after the reader has taken the previous ones, and ends the response. Stops when the
 * reader has disconnected. Disconnects a stalled reader, so that it cannot mistake a part for the whole.
 */
export async function writeTexts(
  response: Response,
  texts: AsyncIterable<Buffer | string>,
  stallTimeoutMs = STALL_TIMEOUT_MS,
): Promise<void> {
  // Confirms the request early, in case the first text takes long.
  response.flushHeaders();
  for await (const text of texts) {
    if (response.destroyed) return;
    if (text.length > 0 && !response.write(text)) await taken(response, stallTimeoutMs);
    if (response.destroyed) return;
  }
  response.end();
}

function taken(response: Response, stallTimeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(stallTimer);
      response.off('drain', done).off('close', done);
      resolve();
    };
    const stallTimer = setTimeout(() => response.destroy(), stallTimeoutMs);
    response.on('drain', done).on('close', done);
  });
}
