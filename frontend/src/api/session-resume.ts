/** Notifies streams and output that the member has signed in again. */
const resumed = new EventTarget();

export const sessionResumed = (): void => void resumed.dispatchEvent(new Event('resumed'));

/** @returns function that unsubscribes */
export function onSessionResumed(call: () => void): () => void {
  resumed.addEventListener('resumed', call);
  return () => resumed.removeEventListener('resumed', call);
}

/** Resolves when the member has signed in again or the signal is aborted. */
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
