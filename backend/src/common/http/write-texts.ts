import type { Response } from 'express';

/**
 * Time after which a stalled reader is disconnected, in ms. The reader may be a sleeping machine or an attacker. Each
 * one would otherwise hold a connection and memory forever. A user who pauses a download for longer must restart it.
 */
export const STALL_TIMEOUT_MS = 2 * 60_000;

/**
 * Writes texts one by one, each after the reader has taken the previous ones, and ends the response. Stops when the
 * reader has disconnected. Disconnects a stalled reader, so that the reader does not mistake a part for the whole.
 */
export async function writeTexts(
  response: Response,
  texts: AsyncIterable<Buffer | string>,
  stallTimeoutMs = STALL_TIMEOUT_MS,
): Promise<void> {
  // Sends the response head now, because the first text may take long.
  response.flushHeaders();
  for await (const text of texts) {
    if (response.destroyed) return;
    if (text.length > 0 && !response.write(text)) await waitForDrain(response, stallTimeoutMs);
    if (response.destroyed) return;
  }
  response.end();
}

function waitForDrain(response: Response, stallTimeoutMs: number): Promise<void> {
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
