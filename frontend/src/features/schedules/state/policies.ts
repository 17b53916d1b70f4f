import type { ScheduleSummary } from '../../../api/types';

export const OVERLAP_TEXTS: Record<ScheduleSummary['onOverlap'], { label: string; description: string }> = {
  skip: {
    label: 'Leave this time out',
    description: 'The list of times says which run was in the way.',
  },
  queue: {
    label: 'Wait for its turn',
    description: 'One run of the schedule waits at a time; further times are left out until it has begun.',
  },
};

export const MISSED_TEXTS: Record<ScheduleSummary['onMissed'], { label: string; description: string }> = {
  skip: {
    label: 'Leave them out',
    description: 'The next time is the next one that comes.',
  },
  once: {
    label: 'Make up for them once',
    description: 'One run for all times that were missed, as soon as Runward is back.',
  },
};
