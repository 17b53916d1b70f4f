import type { GitSource } from '../../types';

/** Whether a sync was asked for, or goes on. */
export const isSyncing = ({ syncing, syncRequestedAt }: Pick<GitSource, 'syncing' | 'syncRequestedAt'>): boolean =>
  syncing || syncRequestedAt !== null;
