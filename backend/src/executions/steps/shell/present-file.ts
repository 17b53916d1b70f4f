import { shellWord } from '../../../plans/shell/shell-text.js';
import { renderStatNames } from './template-command.js';

export const MAX_PRESENT_BYTES = 262_144;

const ABSENT_EXIT_CODE = 91;
const NO_FILE_EXIT_CODE = 92;
const NO_FOLDER_EXIT_CODE = 93;
const UNREADABLE_EXIT_CODE = 94;

export type PresentFile =
  | { readonly state: 'absent' }
  | {
      readonly state: 'present';
      readonly content: Buffer;
      /** Whether the file is longer than `content`. */
      readonly cut: boolean;
      readonly mode: string;
      readonly uid: number;
      readonly gid: number;
      /** Names of user and group on the host; absent if unknown. */
      readonly user?: string;
      readonly group?: string;
    }
  /** A run would fail here, for the reason in `message`. */
  | { readonly state: 'blocked'; readonly message: string };

/**
 * Returns POSIX shell text that prints the current content of the path for `parsePresentFile`. The text changes nothing
 * on the host.
 */
export function renderPresentFileCommand(path: string): string {
  return `(
runward_path=${shellWord(path)}
runward_folder=\${runward_path%/*}
if [ -L "$runward_path" ]; then exit ${NO_FILE_EXIT_CODE}; fi
if [ ! -e "$runward_path" ]; then if [ -d "$runward_folder/" ]; then exit ${ABSENT_EXIT_CODE}; else exit ${NO_FOLDER_EXIT_CODE}; fi; fi
[ -f "$runward_path" ] || exit ${NO_FILE_EXIT_CODE}
[ -r "$runward_path" ] || exit ${UNREADABLE_EXIT_CODE}
${renderStatNames('$runward_path')} 2>/dev/null || exit ${UNREADABLE_EXIT_CODE}
printf '%s\\n' "$runward_stat"
head -c ${MAX_PRESENT_BYTES + 1} <"$runward_path"
)`;
}

/** Parses the output of `renderPresentFileCommand`; null = unusable, for example because sudo refused the command. */
export function parsePresentFile(path: string, exitCode: number | null, stdout: Buffer): PresentFile | null {
  switch (exitCode) {
    case 0:
      return parsePresentOutput(stdout);
    case ABSENT_EXIT_CODE:
      return { state: 'absent' };
    case NO_FILE_EXIT_CODE:
      return { state: 'blocked', message: `${path} exists, but it is a symbolic link or not a regular file.` };
    case NO_FOLDER_EXIT_CODE:
      return { state: 'blocked', message: `The directory of ${path} does not exist on this host.` };
    case UNREADABLE_EXIT_CODE:
      return { state: 'blocked', message: `The user of the step cannot read ${path}. Choose another user in become.` };
    default:
      return null;
  }
}

function parsePresentOutput(stdout: Buffer): PresentFile | null {
  const end = stdout.indexOf('\n');
  const [, mode, uid, gid, user, group] =
    /^([0-7]+) (\d+) (\d+)(?: (\S+) (\S+)$)?/.exec(stdout.subarray(0, Math.max(0, end)).toString('latin1')) ?? [];
  if (mode === undefined) return null;
  const content = stdout.subarray(end + 1);
  return {
    state: 'present',
    content: content.subarray(0, MAX_PRESENT_BYTES),
    cut: content.length > MAX_PRESENT_BYTES,
    mode,
    uid: Number(uid),
    gid: Number(gid),
    ...(user !== undefined && group !== undefined ? { user, group } : {}),
  };
}
