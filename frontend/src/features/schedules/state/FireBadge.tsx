import {
  type Icon,
  IconCircleX,
  IconClockExclamation,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipForward,
} from '@tabler/icons-react';
import type { FireOutcome, ScheduleFire } from '../../../api/types';
import { Badge } from '../../../ui/status/Badge';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import type { Tone } from '../../../ui/status/statuses';

const OUTCOMES: Record<FireOutcome, { tone: Tone; icon: Icon; label: string }> = {
  started: { tone: 'muted', icon: IconPlayerPlay, label: 'Started' },
  skipped: { tone: 'muted', icon: IconPlayerSkipForward, label: 'Skipped' },
  missed: { tone: 'warn', icon: IconClockExclamation, label: 'Missed' },
  refused: { tone: 'bad', icon: IconCircleX, label: 'Refused' },
};

/** Shows the status of the run, if one was started. */
export function FireBadge({ outcome, executionStatus }: Pick<ScheduleFire, 'outcome' | 'executionStatus'>) {
  if (executionStatus) return <StatusBadge status={executionStatus} />;
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
