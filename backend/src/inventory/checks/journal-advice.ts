import { toFullHomeMessage } from '../../transport/connection/full-home.js';
import type { JournalFault } from '../../transport/journal/journal-check.js';

export function toJournalAdvice(fault: JournalFault, username: string): { message: string; advice: string } {
  switch (fault.code) {
    case 'missing':
      return {
        message: `The host lacks ${fault.programs.join(', ')}, which the journal of running commands needs.`,
        advice:
          'Install util-linux (setsid) and coreutils, or their BusyBox equivalents, on the PATH of the login user.',
      };
    case 'no_home':
      return {
        message: `${username} has no home directory on the host, which the journal of running commands needs.`,
        advice: 'Create one and set it as the home directory of the account.',
      };
    case 'not_own':
      return {
        message: `${username} does not own ~/.runward on the host, or it is not a folder.`,
        advice: 'Find out what it is. Then remove it or change its owner back.',
      };
    case 'full':
      return {
        message: `${toFullHomeMessage(username)} The host cannot keep a journal of running commands there.`,
        advice: 'Free space there.',
      };
    case 'unwritten':
      return {
        message: `A file in the home directory of ${username} could not be written, so the host cannot keep a journal of running commands.`,
        advice: 'Check the file size limit of the login user (ulimit -f) and the errors of the file system.',
      };
    case 'not_writable':
      return {
        message: `${username} cannot write to the home directory on the host, which stores the journal of running commands.`,
        advice: 'Make it writable for that user, and check that the file system is not mounted read-only.',
      };
  }
}
