import type { SshKey } from '../../../api/types';

/** Returns why a key can't be rotated now; null: no known obstacle. */
export function notRotatable({ rotationId, usedByCount }: Pick<SshKey, 'rotationId' | 'usedByCount'>): string | null {
  if (rotationId !== null) return 'The key is already being rotated';
  return usedByCount === 0 ? 'No server that you can view uses this key' : null;
}
