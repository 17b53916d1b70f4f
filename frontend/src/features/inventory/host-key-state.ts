import type { Server } from '../../api/types';

/** How far the trust in a server's host key has come. */
export type HostKeyState = 'accepted' | 'changed' | 'waiting' | 'unseen';

export function hostKeyState({ hostKey, seenHostKey }: Pick<Server, 'hostKey' | 'seenHostKey'>): HostKeyState {
  if (!hostKey) return seenHostKey ? 'waiting' : 'unseen';
  return seenHostKey && seenHostKey.fingerprint !== hostKey.fingerprint ? 'changed' : 'accepted';
}
