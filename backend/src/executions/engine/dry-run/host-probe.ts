import type { ReasonCode } from '../../../common/errors/reason-codes.js';
import { commandWords } from '../../../scripts/script-program.js';
import { SUDO_TTY_ERROR } from '../../steps/shell/sudo-words.js';
import { describeTtyRequirement } from '../progress/host-outcome.js';
import { toStepRules } from '../../steps/step-command.js';
import type { StartingStep } from '../../steps/types/run-step-types.js';
import { shellWord } from '../../../plans/shell/shell-text.js';
import { quoteForeignText } from '../../../transport/ssh-errors.js';

/** What a step needs from a host: user (null: the login user), working directory, and programs. */
export interface HostRequirement {
  user: string | null;
  directory: string | null;
  programs?: readonly string[];
}

export interface HostProbe {
  loginUser: string;
  /** By user other than the login user: null: sudo allows it; otherwise the message of sudo. */
  rights: ReadonlyMap<string, string | null>;
  folders: ReadonlyMap<string, boolean>;
  programs: ReadonlyMap<string, boolean>;
}

/** Reason why a step can't begin on a host. `mayPass`: an earlier step might create the missing thing. */
export interface StepBlocker {
  code: ReasonCode;
  message: string;
  mayPass: boolean;
}

const MAX_MESSAGE_LENGTH = 300;

/** @param program interpreter of the step's script and its arguments */
export const toHostRequirement = (step: StartingStep, program: readonly string[] = []): HostRequirement => ({
  user: step.become,
  directory: toStepRules(step).workingDirectory,
  programs: [...new Set([program[0], commandWords(program)[0]])].flatMap((word) =>
    isFindableProgram(word) ? [word] : [],
  ),
});

/**
 * Whether the lookup of a word is independent of the working directory. `env` itself resolves words that contain a
 * blank.
 */
const isFindableProgram = (word: string | undefined): word is string =>
  word !== undefined && (word.startsWith('/') || /^[^-/\s][^/\s]*$/.test(word));

const toFolderKey = ({ user, directory }: Pick<HostRequirement, 'user' | 'directory'>) =>
  `${user ?? ''}\0${directory ?? ''}`;
const toProgramKey = (user: string | null, program: string) => `${user ?? ''}\0${program}`;

export function coversRequirement(probe: HostProbe, { user, directory, programs = [] }: HostRequirement): boolean {
  if (user !== null && !probe.rights.has(user)) return false;
  if (user !== null && probe.rights.get(user) !== null) return true;
  if (!programs.every((program) => probe.programs.has(toProgramKey(user, program)))) return false;
  return directory === null || probe.folders.has(toFolderKey({ user, directory }));
}

/** @param program interpreter of the step's script and its arguments */
export function findBlocker(
  step: StartingStep,
  { loginUser, rights, folders, programs }: HostProbe,
  program?: readonly string[],
): StepBlocker | null {
  const need = toHostRequirement(step, program);
  const { user, directory } = need;
  const refusal = user === null ? null : (rights.get(user) ?? null);
  if (user !== null && refusal !== null) {
    if (SUDO_TTY_ERROR.test(refusal))
      return { code: 'sudo_requires_tty', message: describeTtyRequirement(loginUser), mayPass: false };
    const sudoText = refusal === '' ? '' : ` sudo says: "${refusal}".`;
    const message = `${loginUser} may not run commands as ${user} on this host.${sudoText} Allow ${loginUser} to run /bin/sh as ${user} with sudo without a password.`;
    return { code: 'no_sudo_right', message, mayPass: false };
  }
  const missing = need.programs?.find((each) => programs.get(toProgramKey(user, each)) === false);
  if (missing !== undefined) {
    const message = `The script needs the program ${missing}, but ${user ?? loginUser} cannot execute it on this host. Install it, or change line 1 or the interpreter of the script.`;
    return { code: 'interpreter_missing', message, mayPass: true };
  }
  if (directory === null || folders.get(toFolderKey(need)) !== false) return null;
  const message = `The working directory ${directory} does not exist on this host, or ${user ?? loginUser} may not enter it. Create it, or choose another one.`;
  return { code: 'working_directory_missing', message, mayPass: true };
}

export const mergeProbes = (first: HostProbe, second: HostProbe): HostProbe => ({
  loginUser: second.loginUser,
  rights: new Map([...first.rights, ...second.rights]),
  folders: new Map([...first.folders, ...second.folders]),
  programs: new Map([...first.programs, ...second.programs]),
});

interface ProbeQuestion {
  user: string | null;
  directories: string[];
  programs: string[];
}

/**
 * Returns a POSIX shell script that changes nothing. The script becomes each user exactly as a step does
 * (`composeScript`), for two reasons: what `sudo -l` lists is not always allowed without a password, and only the user
 * itself knows which folders it may enter.
 * @param mark an unguessable word that begins each line of the answer
 */
export function renderProbeScript(needs: readonly HostRequirement[], mark: string): string {
  const say = (words: string) => `printf '%s\\n' ${words}\n`;
  const questionsByUser = listProbeQuestions(needs).map(({ user, directories, programs }, at) => {
    const found = programs
      .map((program, index) => `${renderProgramTest(program)} && ${say(`'${mark} program ${at} ${index}'`)}`)
      .join('');
    const folders = directories
      .map(
        (directory, index) =>
          `(cd -- ${shellWord(directory)}) >/dev/null 2>&1 && ${say(`'${mark} folder ${at} ${index}'`)}`,
      )
      .join('');
    if (user === null) return folders + found;
    const text = say(`'${mark} may ${at}'`) + folders + found;
    return `if [ "$(id -un)" = ${shellWord(user)} ]; then
eval ${shellWord(text)}
else
{ runward_why=$(printf '%s\\n%s' 'cd 2>/dev/null || cd /' ${shellWord(text)} 2>/dev/null | sudo -n -H -u ${shellWord(user)} -- /bin/sh 2>&1 >&3); } 3>&1
printf '%s\\n' '${mark} why ${at} '"$runward_why"
fi
`;
  });
  return `printf '%s\\n' '${mark} user '"$(id -un)"\n${questionsByUser.join('')}printf '%s\\n' '${mark} end'\n`;
}

const renderProgramTest = (program: string): string => {
  const word = shellWord(program);
  return program.startsWith('/') ? `[ -x ${word} ] && [ ! -d ${word} ]` : `command -v ${word} >/dev/null 2>&1`;
};

/** Reads the output of `renderProbeScript`; null: the output is incomplete. */
export function parseProbeOutput(text: string, needs: readonly HostRequirement[], mark: string): HostProbe | null {
  const answers = text
    .split('\n')
    .flatMap((line) => (line.startsWith(`${mark} `) ? [line.slice(mark.length + 1)] : []));
  if (!answers.includes('end')) return null;
  const after = (start: string) => answers.find((each) => each.startsWith(start))?.slice(start.length);
  const rights = new Map<string, string | null>();
  const folders = new Map<string, boolean>();
  const programs = new Map<string, boolean>();
  for (const [at, { user, directories, programs: neededPrograms }] of listProbeQuestions(needs).entries()) {
    const may = user === null || answers.includes(`may ${at}`);
    if (user !== null) rights.set(user, may ? null : quoteForeignText(after(`why ${at} `) ?? '', MAX_MESSAGE_LENGTH));
    for (const [index, directory] of directories.entries()) {
      if (may) folders.set(toFolderKey({ user, directory }), answers.includes(`folder ${at} ${index}`));
    }
    for (const [index, program] of neededPrograms.entries()) {
      if (may) programs.set(toProgramKey(user, program), answers.includes(`program ${at} ${index}`));
    }
  }
  return { loginUser: quoteForeignText(after('user ') ?? ''), rights, folders, programs };
}

function listProbeQuestions(needs: readonly HostRequirement[]): ProbeQuestion[] {
  const byUser = new Map<string | null, { directories: Set<string>; programs: Set<string> }>();
  for (const { user, directory, programs = [] } of needs) {
    const questionsByUser = byUser.get(user) ?? { directories: new Set(), programs: new Set() };
    byUser.set(user, questionsByUser);
    if (directory !== null) questionsByUser.directories.add(directory);
    for (const program of programs) questionsByUser.programs.add(program);
  }
  return [...byUser].map(([user, { directories, programs }]) => ({
    user,
    directories: [...directories],
    programs: [...programs],
  }));
}
