import type { Server } from '../../../api/types';

export type HostKeyState = 'accepted' | 'changed' | 'waiting' | 'unseen';

export function hostKeyState({ hostKey, seenHostKey }: Pick<Server, 'hostKey' | 'seenHostKey'>): HostKeyState {
  if (!hostKey) return seenHostKey ? 'waiting' : 'unseen';
  return seenHostKey && seenHostKey.fingerprint !== hostKey.fingerprint ? 'changed' : 'accepted';
}
