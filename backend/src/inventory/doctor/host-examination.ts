import { JOURNAL_CHECK_SCRIPT, parseJournalFault } from '../../transport/journal/journal-check.js';
import { createDeadlineSignal, waitAtMost } from '../../transport/listening-time.js';
import type { CommandResult } from '../../transport/remote-command.js';
import type { SshConnection } from '../../transport/connection/ssh-connection.js';
import { journalAdvice } from '../checks/journal-advice.js';
import { type Diagnosis, failed, ok, type Verdict, warning } from './diagnosis.js';

const SCRIPT_TIMEOUT_MS = 5_000;
/**
 * Time limit for starting the script, in ms. Shorter than that of the examination, so that the error arrives in time.
 */
const START_MS = 4_500;
const MAX_ANSWER_LENGTH = 2_000;

type Connection = Pick<SshConnection, 'exec' | 'fault'>;

interface ScriptAnswer {
  result: CommandResult | 'late';
  answer: string;
  hasNoise: boolean;
}

/** Runs only scripts that change nothing on the host. */
export async function examineHost(connection: Connection, username: string, diagnosis: Diagnosis): Promise<void> {
  diagnosis.conclude(shellVerdict(await runScript(connection, ':\n'), username));
  if (diagnosis.current === null) return;
  diagnosis.conclude(journalVerdict(await runScript(connection, JOURNAL_CHECK_SCRIPT), username));
  diagnosis.conclude(sudoVerdict(await runScript(connection, SUDO_CHECK), username));
}

async function runScript(connection: Connection, script: string): Promise<ScriptAnswer> {
  const seen: ScriptAnswer = { result: 'late', answer: '', hasNoise: false };
  let begun = false;
  const deadline = createDeadlineSignal(SCRIPT_TIMEOUT_MS);
  const command = await connection.exec({
    script,
    execTimeoutMs: START_MS,
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

const succeeded = ({ result }: ScriptAnswer): boolean =>
  result !== 'late' && result.kind === 'exited' && result.exitCode === 0;

function shellVerdict({ result, hasNoise, ...rest }: ScriptAnswer, username: string): Verdict {
  if (result !== 'late' && result.kind === 'refused') {
    if (result.code === 'no_launcher')
      return failed(
        result.message,
        `Give ${username} a shell such as /bin/sh (chsh or usermod -s; not nologin or false), and check its start-up files and a ForceCommand in sshd_config.`,
      );
    return result.unsent
      ? failed(
          'The login succeeded, but the host opened no session for a command.',
          'Check MaxSessions in its sshd_config and the limits of the login user.',
        )
      : failed(
          `The login shell of ${username} exited before it started a command.`,
          `Give ${username} a shell such as /bin/sh (chsh or usermod -s; not nologin or false), and check its start-up files and a ForceCommand in sshd_config.`,
        );
  }
  if (!succeeded({ result, hasNoise, ...rest }))
    return failed(
      `The login shell of ${username} did not start a command in time.`,
      'Log in by hand. Look for start-up files that wait or ask for input, an unavailable network home directory, or an overloaded host.',
    );
  return hasNoise
    ? warning(
        `The login shell of ${username} prints text before each command.`,
        'Change its start-up files (.bashrc, .profile, .cshrc) to print only in interactive shells. Otherwise this text appears in the output of steps.',
      )
    : ok('The login shell starts commands.');
}

const NO_JOURNAL = 'Commands still run, but if a connection or a worker is lost, their results are lost too.';
const REFUSED_ADVICE = 'Until then, Runward refuses to run commands.';

function journalVerdict(seen: ScriptAnswer, username: string): Verdict {
  const fault = parseJournalFault(seen.answer);
  if (fault === null) return ok('The host can keep a journal of running commands.');
  if (fault === undefined)
    return warning(
      'The host did not report whether it can keep a journal of running commands.',
      `Check whether the home directory of ${username} hangs. ${NO_JOURNAL}`,
    );
  const { message, advice } = journalAdvice(fault, username);
  return warning(message, `${advice} ${fault.code === 'unwritten' ? REFUSED_ADVICE : NO_JOURNAL}`);
}

/** Becomes another user in the same way as steps, and does nothing. */
const SUDO_CHECK = `if [ "$(id -u)" = 0 ]; then echo root
elif ! command -v sudo >/dev/null 2>&1; then echo none
elif _rs=$(echo : | LC_ALL=C sudo -n -H -u root -- /bin/sh 2>&1 >/dev/null); then echo may
else case $_rs in *"must have a tty"*) echo tty;; *) echo refused;; esac
fi
`;

function sudoVerdict({ answer }: ScriptAnswer, username: string): Verdict {
  const [word] = answer.split('\n');
  switch (word) {
    case 'root':
      return ok(`${username} is root and does not need sudo.`);
    case 'may':
      return ok(`${username} can become root with sudo without a password.`);
    case 'tty':
      return warning(
        `sudo requires a terminal for ${username} (requiretty), and steps have none.`,
        `If steps become another user, exempt this login in sudoers (visudo): Defaults:${username} !requiretty. Other steps do not need this.`,
      );
    case 'none':
      return warning(
        'sudo is not installed on the host.',
        'Install it if steps become another user; other steps do not need it.',
      );
    case 'refused':
      return warning(
        `sudo asks ${username} for a password, or does not let ${username} become root.`,
        `If steps become root, allow it without a password in sudoers (visudo): ${username} ALL=(root) NOPASSWD: /bin/sh. Other steps do not need this.`,
      );
    default:
      return warning(
        'sudo did not answer in time.',
        'Log in by hand and try sudo -n /bin/sh: it may wait for a directory service.',
      );
  }
}
