const listeners = new Set<() => void>();
let latest: string | null = null;

/** Header of each answer while the installation is draining or held. */
const INSTALLATION_STATE_HEADER = 'Runward-Installation';
/** Header that only answers of Runward itself carry, not those of a proxy. */
const OWN = 'X-Request-Id';

/** Reads the state of the installation from an answer. */
export function noteInstallationState({ headers }: Response): void {
  if (!headers.has(OWN)) return;
  const value = headers.get(INSTALLATION_STATE_HEADER);
  if (value === latest) return;
  latest = value;
  for (const listener of listeners) listener();
}

/** As the latest answer reported it; null while active. */
export const installationState = (): string | null => latest;

/** Calls `listener` after each change; returns how to stop that. */
export function onInstallationState(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
