import { IconPlayerPause } from '@tabler/icons-react';
import type { ScheduleFire } from '../../../api/types';
import { Badge } from '../../../ui/status/Badge';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import { OUTCOMES } from './outcomes';

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
