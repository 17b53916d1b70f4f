import { JOURNAL_CHECK_SCRIPT, parseJournalFault } from '../../transport/journal/journal-check.js';
import { createDeadlineSignal, waitAtMost } from '../../transport/listening-time.js';
import type { CommandResult } from '../../transport/remote-command.js';
import type { SshConnection } from '../../transport/connection/ssh-connection.js';
import { toJournalAdvice } from '../checks/journal-advice.js';
import { type Diagnosis, toFailedVerdict, toOkVerdict, type DiagnosisVerdict, toWarningVerdict } from './diagnosis.js';

const SCRIPT_TIMEOUT_MS = 5_000;
/**
 * Time limit for starting the script, in ms. Shorter than that of the examination, so that the error arrives in time.
 */
const START_TIMEOUT_MS = 4_500;
const MAX_ANSWER_LENGTH = 2_000;

type ExaminedConnection = Pick<SshConnection, 'exec' | 'fault'>;

interface ScriptAnswer {
  result: CommandResult | 'late';
  answer: string;
  hasNoise: boolean;
}

/** Runs only scripts that change nothing on the host. */
export async function examineHost(
  connection: ExaminedConnection,
  username: string,
  diagnosis: Diagnosis,
): Promise<void> {
  diagnosis.concludeStep(toShellVerdict(await runScript(connection, ':\n'), username));
  if (diagnosis.current === null) return;
  diagnosis.concludeStep(toJournalVerdict(await runScript(connection, JOURNAL_CHECK_SCRIPT), username));
  diagnosis.concludeStep(sudoVerdict(await runScript(connection, SUDO_CHECK_SCRIPT), username));
}

async function runScript(connection: ExaminedConnection, script: string): Promise<ScriptAnswer> {
  const seen: ScriptAnswer = { result: 'late', answer: '', hasNoise: false };
  let begun = false;
  const deadline = createDeadlineSignal(SCRIPT_TIMEOUT_MS);
  const command = await connection.exec({
    script,
    execTimeoutMs: START_TIMEOUT_MS,
    signal: deadline.signal,
    onStarted: () => (begun = true),
    onOutput: (stream, bytes) => {
      if (!begun) seen.hasNoise = true;
      else if (stream === 'stdout' && seen.answer.length < MAX_ANSWER_LENGTH) seen.answer += bytes.toString('latin1');
    },
  });
  const result = command.result.then((result) => (seen.result = result));
  await waitAtMost(SCRIPT_TIMEOUT_MS, result);
  deadline.cancel();
  if (connection.fault) throw connection.fault;
  return seen;
}

const hasSucceeded = ({ result }: ScriptAnswer): boolean =>
  result !== 'late' && result.kind === 'exited' && result.exitCode === 0;

function toShellVerdict({ result, hasNoise, ...rest }: ScriptAnswer, username: string): DiagnosisVerdict {
  if (result !== 'late' && result.kind === 'refused') {
    if (result.code === 'no_launcher')
      return toFailedVerdict(
        result.message,
        `Give ${username} a shell such as /bin/sh (chsh or usermod -s; not nologin or false), and check its start-up files and a ForceCommand in sshd_config.`,
      );
    return result.unsent
      ? toFailedVerdict(
          'The login succeeded, but the host opened no session for a command.',
          'Check MaxSessions in its sshd_config and the limits of the login user.',
        )
      : toFailedVerdict(
          `The login shell of ${username} exited before it started a command.`,
          `Give ${username} a shell such as /bin/sh (chsh or usermod -s; not nologin or false), and check its start-up files and a ForceCommand in sshd_config.`,
        );
  }
  if (!hasSucceeded({ result, hasNoise, ...rest }))
    return toFailedVerdict(
      `The login shell of ${username} did not start a command in time.`,
      'Log in by hand. Look for start-up files that wait or ask for input, an unavailable network home directory, or an overloaded host.',
    );
  return hasNoise
    ? toWarningVerdict(
        `The login shell of ${username} prints text before each command.`,
        'Change its start-up files (.bashrc, .profile, .cshrc) to print only in interactive shells. Otherwise this text appears in the output of steps.',
      )
    : toOkVerdict('The login shell starts commands.');
}

const NO_JOURNAL_MESSAGE = 'Commands still run, but if a connection or a worker is lost, their results are lost too.';
const REFUSED_ADVICE = 'Until then, Runward refuses to run commands.';

function toJournalVerdict(seen: ScriptAnswer, username: string): DiagnosisVerdict {
  const fault = parseJournalFault(seen.answer);
  if (fault === null) return toOkVerdict('The host can keep a journal of running commands.');
  if (fault === undefined)
    return toWarningVerdict(
      'The host did not report whether it can keep a journal of running commands.',
      `Check whether the home directory of ${username} hangs. ${NO_JOURNAL_MESSAGE}`,
    );
  const { message, advice } = toJournalAdvice(fault, username);
  return toWarningVerdict(message, `${advice} ${fault.code === 'unwritten' ? REFUSED_ADVICE : NO_JOURNAL_MESSAGE}`);
}

/** Becomes another user in the same way as steps, and does nothing. */
const SUDO_CHECK_SCRIPT = `if [ "$(id -u)" = 0 ]; then echo root
elif ! command -v sudo >/dev/null 2>&1; then echo none
elif _rs=$(echo : | LC_ALL=C sudo -n -H -u root -- /bin/sh 2>&1 >/dev/null); then echo may
else case $_rs in *"must have a tty"*) echo tty;; *) echo refused;; esac
fi
`;

function sudoVerdict({ answer }: ScriptAnswer, username: string): DiagnosisVerdict {
  const [word] = answer.split('\n');
  switch (word) {
    case 'root':
      return toOkVerdict(`${username} is root and does not need sudo.`);
    case 'may':
      return toOkVerdict(`${username} can become root with sudo without a password.`);
    case 'tty':
      return toWarningVerdict(
        `sudo requires a terminal for ${username} (requiretty), and steps have none.`,
        `If steps become another user, exempt this login in sudoers (visudo): Defaults:${username} !requiretty. Other steps do not need this.`,
      );
    case 'none':
      return toWarningVerdict(
        'sudo is not installed on the host.',
        'Install it if steps become another user; other steps do not need it.',
      );
    case 'refused':
      return toWarningVerdict(
        `sudo asks ${username} for a password, or does not let ${username} become root.`,
        `If steps become root, allow it without a password in sudoers (visudo): ${username} ALL=(root) NOPASSWD: /bin/sh. Other steps do not need this.`,
      );
    default:
      return toWarningVerdict(
        'sudo did not answer in time.',
        'Log in by hand and try sudo -n /bin/sh: it may wait for a directory service.',
      );
  }
}
