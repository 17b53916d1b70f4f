import type { SshKey } from '../../../api/types';

/** Why a key can't be rotated now; null: nothing that is known here stands against it. */
export function notRotatable({ rotationId, usedByCount }: Pick<SshKey, 'rotationId' | 'usedByCount'>): string | null {
  if (rotationId !== null) return 'It takes part in a rotation that is open';
  return usedByCount === 0 ? 'No server that you see signs in with it' : null;
}
