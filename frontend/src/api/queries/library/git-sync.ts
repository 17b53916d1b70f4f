import type { GitSource } from '../../types';

export const isSyncing = ({ syncing, syncRequestedAt }: Pick<GitSource, 'syncing' | 'syncRequestedAt'>): boolean =>
  syncing || syncRequestedAt !== null;
