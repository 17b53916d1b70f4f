import type { Attached, RefusalCode } from '../remote-command.js';

/** What the host's answers mean, in words that say what to do. */

const OLDER_EPOCH =
  'Another worker has taken this run over, so the host refuses this one. Let the other one finish it.';

const OLDER_INCARNATION =
  'A restored backup or a copy of this installation has reached the host as a newer incarnation, so the host refuses this one. Stop this installation, or run `npm run admin -- resume --as-original` if it is the right one.';
const OTHER_INSTALLATION =
  'The run belongs to another installation, which this one is a copy of. The host refuses it: check the result there.';

const REFUSALS: Record<Exclude<RefusalCode, 'no_launcher'>, string> = {
  older_epoch: OLDER_EPOCH,
  older_incarnation: OLDER_INCARNATION,
  other_installation: OTHER_INSTALLATION,
  already_started: 'This command was started on the host before. It is not started twice: attach to it.',
  voided: 'It was decided before that this command never starts on the host. Start it again as a new attempt.',
  run_ended: 'The run has ended on the host, so nothing of it is started any more.',
  no_journal:
    'The host could not write the journal of the command, so it was not started. Check the free space and the rights of ~/.runward, or switch the journal off for the environment.',
  cannot_journal: 'The host can keep no journal for this user, so the command was not started.',
};

/** Why the host did not start a command, by the word that it answered. */
export function refusalOf(state: string): { code?: RefusalCode; message: string } {
  if (Object.hasOwn(REFUSALS, state))
    return { code: state as RefusalCode, message: REFUSALS[state as keyof typeof REFUSALS] };
  return { message: `The host did not start the command and gave a reason that is not known: "${state}".` };
}

/**
 * What became of a command that could not be attached to, by the word that the host answered.
 * @param upSeconds for how long the host has been up, in digits; anything else where it does not tell
 */
export function absenceOf(state: string, upSeconds: string): Exclude<Attached, { kind: 'attached' }> {
  switch (state) {
    case 'never_started':
      return /^\d+$/.test(upSeconds) ? { kind: state, hostUpMs: Number(upSeconds) * 1000 } : { kind: state };
    case 'rebooted':
      return { kind: state };
    case 'vanished':
      return {
        kind: 'vanished',
        message:
          'The command is gone from the host and left no exit status: it or its supervisor was killed. Look on the host what it did.',
      };
    case 'no_journal':
      return {
        kind: 'no_journal',
        message:
          'The host keeps no journal for this user, so it cannot tell whether the command ran. Look on the host.',
      };
    case 'forgotten':
      return {
        kind: 'no_journal',
        message: 'The host has removed what it kept of the command, so it cannot tell how it ended. Look on the host.',
      };
    case 'older_epoch':
      return { kind: 'failed', code: 'older_epoch', message: OLDER_EPOCH };
    case 'older_incarnation':
      return { kind: 'failed', message: OLDER_INCARNATION };
    case 'other_installation':
      return { kind: 'failed', message: OTHER_INSTALLATION };
    case 'undecided':
      return { kind: 'failed', message: 'The host is still about to start the command. Ask again.' };
    default:
      return { kind: 'failed', message: `The host answered with a word that is not known: "${state}".` };
  }
}
