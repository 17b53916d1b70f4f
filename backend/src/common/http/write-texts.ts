import type { Response } from 'express';

/**
 * A reader that takes nothing for so long is cut off, in ms. It may be a machine that fell asleep or a client that means
 * harm; each holds a connection and memory, and nobody would ever end it. A person whose browser pauses a download for
 * longer starts it again.
 */
export const STALLED_MS = 2 * 60_000;

/**
 * Writes texts one by one, each when the reader has taken those before, and ends the response. Asks for no more when the
 * reader has left; one that stalls is cut off, so that it can't take what it has for the whole.
 */
export async function writeTexts(
  response: Response,
  texts: AsyncIterable<Buffer | string>,
  stalledMs = STALLED_MS,
): Promise<void> {
  // Where nothing is found for long, the reader knows at least that its request was heard.
  response.flushHeaders();
  for await (const text of texts) {
    if (response.destroyed) return;
    if (text.length > 0 && !response.write(text)) await taken(response, stalledMs);
    if (response.destroyed) return;
  }
  response.end();
}

function taken(response: Response, stalledMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(stalled);
      response.off('drain', done).off('close', done);
      resolve();
    };
    const stalled = setTimeout(() => response.destroy(), stalledMs);
    response.on('drain', done).on('close', done);
  });
}
