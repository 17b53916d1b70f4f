import {
  type Icon,
  IconCircleCheck,
  IconLock,
  IconPencil,
  IconPlayerPause,
  IconPlayerSkipForward,
  IconPlus,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import type { ImportAction } from '../../../../api/types';
import type { Tone } from '../../../../ui/status/statuses';

interface ActionStyle {
  tone: Tone;
  icon: Icon;
  label: string;
}

export const ACTIONS: Record<ImportAction, ActionStyle> = {
  create: { tone: 'good', icon: IconPlus, label: 'New' },
  change: { tone: 'active', icon: IconPencil, label: 'Changed' },
  leave: { tone: 'muted', icon: IconCircleCheck, label: 'Unchanged' },
  disable: { tone: 'warn', icon: IconPlayerPause, label: 'Disabled' },
  remove: { tone: 'bad', icon: IconTrash, label: 'Removed' },
  keep: { tone: 'idle', icon: IconLock, label: 'Kept' },
  skip: { tone: 'warn', icon: IconPlayerSkipForward, label: 'Skipped' },
  refuse: { tone: 'bad', icon: IconX, label: 'Refused' },
};

export const IMPORT_ACTIONS: readonly ImportAction[] = [
  'refuse',
  'skip',
  'create',
  'change',
  'disable',
  'remove',
  'keep',
  'leave',
];
