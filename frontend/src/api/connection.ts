const listeners = new Set<() => void>();
let lost = false;

/** Call this after each request: whether the server, or a proxy before it, has responded. */
export function noteConnection(responded: boolean): void {
  if (lost === !responded) return;
  lost = !responded;
  for (const listener of listeners) listener();
}

export const isConnectionLost = (): boolean => lost;

/** Calls `listener` after each change. Returns a function that stops this. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Asks the server for a response, and returns whether it came. */
export async function probeConnection(): Promise<boolean> {
  const responded = await fetch('/api/health/live', { cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  );
  noteConnection(responded);
  return responded;
}
