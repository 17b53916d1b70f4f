import {
  type Icon,
  IconCircleCheck,
  IconCircleX,
  IconClockExclamation,
  IconPlayerPause,
  IconPlayerSkipForward,
} from '@tabler/icons-react';
import type { FireOutcome } from '../../../api/types';
import { Badge } from '../../../ui/status/Badge';
import type { Tone } from '../../../ui/status/statuses';

const OUTCOMES: Record<FireOutcome, { tone: Tone; icon: Icon; label: string }> = {
  started: { tone: 'good', icon: IconCircleCheck, label: 'Started' },
  skipped: { tone: 'muted', icon: IconPlayerSkipForward, label: 'Skipped' },
  missed: { tone: 'warn', icon: IconClockExclamation, label: 'Missed' },
  refused: { tone: 'bad', icon: IconCircleX, label: 'Refused' },
};

export function FireBadge({ outcome }: { outcome: FireOutcome }) {
  const { tone, icon, label } = OUTCOMES[outcome];
  return (
    <Badge tone={tone} icon={icon}>
      {label}
    </Badge>
  );
}

export const PausedBadge = () => (
  <Badge tone="warn" icon={IconPlayerPause}>
    Paused
  </Badge>
);
