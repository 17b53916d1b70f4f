import { ADMIN_COMMAND } from '../../common/admin-command.js';
import type { AttachResult, RefusalCode } from '../remote-command.js';

const OLDER_EPOCH_MESSAGE =
  'Another worker has taken over this run, so the host refuses this one. Wait until that worker has finished.';

const OLDER_INCARNATION_MESSAGE = `A restored backup or a copy of this installation has reached the host as a newer incarnation, so the host refuses this one. Stop this installation, or run \`${ADMIN_COMMAND} resume --as-original\` if it is the right one.`;
const OTHER_INSTALLATION_MESSAGE =
  'The run belongs to another installation, and this one is a copy of it. The host refuses it: check the result there.';

const REFUSAL_MESSAGES: Record<Exclude<RefusalCode, 'no_launcher'>, string> = {
  older_epoch: OLDER_EPOCH_MESSAGE,
  older_incarnation: OLDER_INCARNATION_MESSAGE,
  other_installation: OTHER_INSTALLATION_MESSAGE,
  already_started: 'This command has already been started on the host and is not started again. Attach to it.',
  voided: 'This command was ruled out on the host and can no longer start. Start a new attempt.',
  run_ended: 'The run has ended on the host, so its commands can no longer start.',
  no_journal:
    'The host could not write the journal of the command, so it was not started. Check the free space and the rights of ~/.runward, or disable the journal for the environment.',
  cannot_journal: 'The host cannot keep a journal for this user, so the command was not started.',
};

export function toJournalRefusal(state: string): { code?: RefusalCode; message: string } {
  if (Object.hasOwn(REFUSAL_MESSAGES, state))
    return { code: state as RefusalCode, message: REFUSAL_MESSAGES[state as keyof typeof REFUSAL_MESSAGES] };
  return { message: `The host did not start the command and gave an unknown reason: "${state}".` };
}

/**
 * Converts the word in the host's answer to the result for a command that could not be attached to.
 * @param upSeconds uptime of the host in digits; any other text = unknown
 */
export function toAbsentAttachResult(state: string, upSeconds: string): Exclude<AttachResult, { kind: 'attached' }> {
  switch (state) {
    case 'never_started':
      return /^\d+$/.test(upSeconds) ? { kind: state, hostUpMs: Number(upSeconds) * 1000 } : { kind: state };
    case 'rebooted':
      return { kind: state };
    case 'vanished':
      return {
        kind: 'vanished',
        message:
          'The command no longer exists on the host and left no exit status: it or its supervisor was killed. Check on the host what it did.',
      };
    case 'no_journal':
      return {
        kind: 'no_journal',
        message: 'The host keeps no journal for this user, so it is unknown whether the command ran. Check the host.',
      };
    case 'forgotten':
      return {
        kind: 'no_journal',
        message: 'The host has deleted its records of the command, so its result is unknown. Check the host.',
      };
    case 'older_epoch':
      return { kind: 'failed', code: 'older_epoch', message: OLDER_EPOCH_MESSAGE };
    case 'older_incarnation':
      return { kind: 'failed', message: OLDER_INCARNATION_MESSAGE };
    case 'other_installation':
      return { kind: 'failed', message: OTHER_INSTALLATION_MESSAGE };
    case 'undecided':
      return { kind: 'failed', message: 'The host is still about to start the command. Ask again.' };
    default:
      return { kind: 'failed', message: `The host gave an unknown answer: "${state}".` };
  }
}
