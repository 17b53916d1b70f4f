import { IconCircleX, IconClockExclamation, IconPlayerPlay, IconPlayerSkipForward } from '@tabler/icons-react';
import type { FireOutcome } from '../../../api/types';
import type { StatusStyle } from '../../../ui/status/statuses';

export const OUTCOMES: Record<FireOutcome, StatusStyle> = {
  started: { tone: 'muted', icon: IconPlayerPlay, label: 'Started' },
  skipped: { tone: 'muted', icon: IconPlayerSkipForward, label: 'Skipped' },
  missed: { tone: 'warn', icon: IconClockExclamation, label: 'Missed' },
  refused: { tone: 'bad', icon: IconCircleX, label: 'Refused' },
};
