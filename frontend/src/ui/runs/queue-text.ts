import type { ExecutionSummary } from '../../api/types';
import { shortTime } from '../format/format';

type Queue = NonNullable<ExecutionSummary['queue']>;

/** What a run waits for that nobody has to say anything to, in one line. */
export const queueText = ({ reason, startAt, since }: Pick<Queue, 'reason' | 'startAt' | 'since'>): string =>
  reason === 'start_time' && startAt
    ? `Begins ${shortTime(startAt)}`
    : `Waits for other runs since ${shortTime(since)}`;
