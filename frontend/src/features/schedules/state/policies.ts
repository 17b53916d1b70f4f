import type { ScheduleSummary } from '../../../api/types';

export const OVERLAP_TEXTS: Record<ScheduleSummary['onOverlap'], { label: string; description: string }> = {
  skip: {
    label: 'Skip the occurrence',
    description: 'The list of occurrences names the conflicting run.',
  },
  queue: {
    label: 'Wait in the queue',
    description: 'One run of the schedule waits at a time. Further occurrences are skipped until it starts.',
  },
};

export const MISSED_TEXTS: Record<ScheduleSummary['onMissed'], { label: string; description: string }> = {
  skip: {
    label: 'Skip them',
    description: 'Continues with the next occurrence.',
  },
  once: {
    label: 'Run once',
    description: 'Starts one run for all missed occurrences when Runward is available again.',
  },
};
