import type { GitSource } from '../../types';

/** Whether a sync is requested or running. */
export const isSyncing = ({ syncing, syncRequestedAt }: Pick<GitSource, 'syncing' | 'syncRequestedAt'>): boolean =>
  syncing || syncRequestedAt !== null;
