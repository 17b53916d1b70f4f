import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconKeyOff, IconRefresh } from '@tabler/icons-react';
import { isSyncing } from '../../../api/queries/library/git-sync';
import type { GitSource, GitSourceState } from '../../../api/types';
import type { StatusStyle } from '../../../ui/status/statuses';

const STATES: Record<GitSourceState, StatusStyle> = {
  new: { label: 'Never synced', tone: 'idle', icon: IconCircleDashed },
  ready: { label: 'Synced', tone: 'good', icon: IconCircleCheck },
  failed: { label: 'Sync failed', tone: 'bad', icon: IconAlertTriangle },
  host_key_unknown: { label: 'Host key not accepted', tone: 'warn', icon: IconKeyOff },
  host_key_changed: { label: 'Host key changed', tone: 'bad', icon: IconKeyOff },
};

export const sourceStyle = (source: Pick<GitSource, 'state' | 'syncing' | 'syncRequestedAt'>): StatusStyle =>
  isSyncing(source) ? { label: 'Syncing', tone: 'active', icon: IconRefresh } : STATES[source.state];

/** Returns the short commit ID; empty: no commit. */
export const shortCommit = (commit: string | null): string => commit?.slice(0, 10) ?? '';

/** Whether a member must verify the host key. Such states are displayed apart from other errors. */
export const isHostKeyState = (state: GitSourceState): boolean =>
  state === 'host_key_unknown' || state === 'host_key_changed';
