import type { RunQueue } from '../../api/types';
import { shortTime } from '../format/format';

/** Says what a run waits for if it needs no decision. */
export const queueText = ({ waitsFor, startAt, since }: Pick<RunQueue, 'waitsFor' | 'startAt' | 'since'>): string =>
  waitsFor === 'start_time' && startAt
    ? `Starts ${shortTime(startAt)}`
    : `Waiting for other runs since ${shortTime(since)}`;
