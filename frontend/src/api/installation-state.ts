const listeners = new Set<() => void>();
let latest: string | null = null;

/** Header of each response while the installation is draining or held. */
const INSTALLATION_STATE_HEADER = 'Runward-Installation';
/** Header that only responses of Runward have, not those of a proxy. */
const OWN = 'X-Request-Id';

export function noteInstallationState({ headers }: Response): void {
  if (!headers.has(OWN)) return;
  const value = headers.get(INSTALLATION_STATE_HEADER);
  if (value === latest) return;
  latest = value;
  for (const listener of listeners) listener();
}

/** State in the latest response; null = active. */
export const installationState = (): string | null => latest;

/** Calls `listener` after each change. Returns a function that stops this. */
export function onInstallationState(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
