import type { Command } from 'commander';
import { collectValues, parsePairs } from '../../names/pairs.ts';
import type { StartRequest } from '../../runs/start.ts';
import { parseTime } from '../../terminal/times.ts';
import { usage } from '../../terminal/failure.ts';
import { createChoiceOption, createDurationOption } from '../command.ts';
import { addFollowOrWaitOptions, type FollowOrWaitOptions } from './watch-options.ts';

export interface StartOptions extends FollowOrWaitOptions {
  note?: string;
  label?: string[];
  onOverlap?: 'refuse' | 'queue';
  queueTimeout?: number;
  startAt?: string;
  freezeOverride?: string;
  windowOverride?: string;
  acceptAuthors?: string;
  idempotencyKey?: string;
}

/** Adds the options that starts and reruns have in common. */
export const addStartOptions = (command: Command): Command =>
  addFollowOrWaitOptions(command)
    .option('--note <text>', 'note for the list of runs')
    .option('--label <key=value>', 'label of the run; repeatable', collectValues)
    .addOption(
      createChoiceOption('--on-overlap <what>', 'what to do while another run holds a host', ['refuse', 'queue']),
    )
    .addOption(createDurationOption('--queue-timeout <duration>', 'time limit of the wait in the queue, such as 2h'))
    .option('--start-at <time>', 'start later: a time such as 2026-12-01T02:00:00+01:00, or a delay such as 2h')
    .option('--freeze-override <reason>', 'start despite a freeze (admins)')
    .option('--window-override <reason>', 'start outside the run windows (admins)')
    .option(
      '--accept-authors <digest>',
      'accept content of members without rights there (acceptAuthors of the refusal)',
    )
    .option('--idempotency-key <key>', 'key of an earlier call whose response was lost');

type CommonFields = Pick<
  StartRequest,
  | 'note'
  | 'labels'
  | 'onOverlap'
  | 'queueTimeoutSeconds'
  | 'startAt'
  | 'freezeOverride'
  | 'windowOverride'
  | 'acceptAuthors'
>;

/** @throws Failure for a label or time that cannot be read */
export function toStartFields(options: StartOptions): CommonFields {
  const labels = parsePairs(options.label ?? [], '--label');
  const { note, onOverlap, queueTimeout, startAt, freezeOverride, windowOverride, acceptAuthors } = options;
  if (queueTimeout !== undefined && onOverlap !== 'queue') throw usage('--queue-timeout needs --on-overlap queue.');
  return {
    ...(note ? { note } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(onOverlap ? { onOverlap } : {}),
    ...(queueTimeout === undefined ? {} : { queueTimeoutSeconds: Math.ceil(queueTimeout / 1000) }),
    ...(startAt === undefined ? {} : { startAt: parseTime(startAt) }),
    ...(freezeOverride ? { freezeOverride } : {}),
    ...(windowOverride ? { windowOverride } : {}),
    ...(acceptAuthors ? { acceptAuthors } : {}),
  };
}
