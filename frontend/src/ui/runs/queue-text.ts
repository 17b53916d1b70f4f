import type { ExecutionSummary } from '../../api/types';
import { shortTime } from '../format/format';

type Queue = NonNullable<ExecutionSummary['queue']>;

/** Says what a run waits for if it needs no decision. */
export const queueText = ({ reason, startAt, since }: Pick<Queue, 'reason' | 'startAt' | 'since'>): string =>
  reason === 'start_time' && startAt
    ? `Starts ${shortTime(startAt)}`
    : `Waiting for other runs since ${shortTime(since)}`;
