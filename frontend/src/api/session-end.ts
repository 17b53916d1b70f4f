/** Tells whatever waits for it that the session that ended was taken up again. */
const resumed = new EventTarget();

export const sessionResumed = (): void => void resumed.dispatchEvent(new Event('resumed'));

/** @returns ends it */
export function onSessionResumed(call: () => void): () => void {
  resumed.addEventListener('resumed', call);
  return () => resumed.removeEventListener('resumed', call);
}

/** Waits until the session is taken up again, or the signal ends the wait. */
export const untilSessionResumed = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stop();
      resolve();
    };
    const stop = onSessionResumed(done);
    if (signal.aborted) done();
    signal.addEventListener('abort', done, { once: true });
  });
