import { isUtf8 } from 'node:buffer';
import type { TemplateStep } from '../../../plans/steps/types/template.step.js';
import { CHANGED_EXIT_CODE, MAX_BEFORE_BYTES } from '../../../plans/shell/environment-script.js';
import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { INSERTION_MARK, locateInsertions } from '../../../plans/shell/shell-places.js';
import { shellWord } from '../../../plans/shell/shell-text.js';

type FileAttributes = Pick<TemplateStep, 'path' | 'owner' | 'group' | 'mode' | 'backup'>;

/** Each use costs the host one process, because a command substitution of a single program needs only one. */
const renderStat = (file: string, linux: string, bsd: string) =>
  `{ runward_stat=$(stat -c '${linux}' -- "${file}" 2>/dev/null) || runward_stat=$(stat -f '${bsd}' -- "${file}"); }`;

/** Sets `runward_stat` to mode, owner and group (numeric) and size in bytes. Works with `stat` of Linux and BSD. */
const renderStatNumbers = (file: string) => renderStat(file, '%a %u %g %s', '%Mp%Lp %u %g %z');

/** Sets `runward_stat` to mode, owner and group (numeric), and the names of owner and group. */
export const renderStatNames = (file: string) => renderStat(file, '%a %u %g %U %G', '%Mp%Lp %u %g %Su %Sg');

/**
 * Returns POSIX shell text that gives a file this content, owner, group and mode. Exit status: 0 if nothing had to be
 * changed; `CHANGED_EXIT_CODE` if the file was changed; otherwise 1, with the reason on standard error and the file
 * unchanged.
 *
 * The new file is created beside the old one and renamed over it, so that a reader sees either the old or the new file.
 * The shell creates the file itself (noclobber opens with O_EXCL), which saves the process of `mktemp`. Only this user
 * can read the file until its mode is set. If the step sets neither owner nor mode, the umask determines the mode of a
 * new file.
 *
 * The text runs in a separate subshell (`toChangeScript`), which it ends. It starts few programs, because each one takes
 * time on the host. So it does not compare a file of another size, and prefers built-in tests.
 *
 * @param validate rendered command in which `%s` is the path of the new file; null = none
 * @throws CommandTemplateError when `%s` is in a place where the path cannot be inserted
 */
export function renderTemplateCommand(step: FileAttributes, content: string | Buffer, validate: string | null): string {
  const { path } = step;
  const { stored, printed, same, needs } = toContentTexts(content);
  const rules = renderAttributes(step);
  const needsUmask = rules !== '' || validate !== null;
  return `runward_path=${shellWord(path)}
runward_new=
runward_fail() { printf '%s\\n' "$1" >&2; exit 1; }
runward_attributes() { :${rules}; }
trap 'if [ -n "$runward_new" ]; then rm -f -- "$runward_new"; fi' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
runward_folder=\${runward_path%/*}
if [ -L "$runward_path" ]; then runward_fail "$runward_path is a symbolic link. Use the path of its target."; fi
if [ -e "$runward_path" ] && [ ! -f "$runward_path" ]; then runward_fail "$runward_path exists and is not a file."; fi
if [ ! -d "$runward_folder/" ]; then runward_fail "The directory $runward_folder/ does not exist on this host. Make it in an earlier step."; fi
${needs}runward_content=${stored}
runward_before=
if [ -f "$runward_path" ]; then
  [ -r "$runward_path" ] || runward_fail "$runward_path may not be read by the user $(id -un). Choose another one in become."
  ${renderStatNumbers('$runward_path')} || runward_fail "The owner and mode of $runward_path could not be read."
  runward_before=$runward_stat
  set -- $runward_before
  if [ "$4" = ${Buffer.byteLength(content)} ] && ${same}; then
    runward_attributes "$runward_path"
    ${rules === '' ? ':' : renderStatNumbers('$runward_path')}
    if [ "$runward_stat" = "$runward_before" ]; then
      printf '%s\\n' "$runward_path is as it should be."
      exit 0
    fi
    printf '%s\\n' "$runward_path has another owner, group or mode now; its content was right."
    exit ${CHANGED_EXIT_CODE}
  fi
fi
${needsUmask ? 'runward_umask=$(umask)' : ':'}
${rules === '' ? 'if [ -n "$runward_before" ]; then umask 077; fi' : 'umask 077'}
runward_new="$runward_folder/.runward.\${RUNWARD_DISPATCH_ID:-$$}"
set -C
{ ${printed} || runward_fail "The new file could not be written in $runward_folder/."; } >"$runward_new" || {
  runward_new=
  runward_fail "The user $(id -un) may not make files in $runward_folder/."
}
set +C
if [ -n "$runward_before" ]; then
  if ! ${SAME_OWNER_TEST}; then
    chown "$2:$3" "$runward_new" || runward_fail "The owner of $runward_path could not be kept. Choose a user in become who may."
  fi
  ${step.mode === null ? 'chmod "$1" "$runward_new" || runward_fail "The mode of $runward_path could not be kept."' : ':'}
fi
runward_attributes "$runward_new"
${rules === '' || step.mode !== null ? ':' : 'if [ -z "$runward_before" ]; then umask "$runward_umask"; chmod =rw "$runward_new"; fi'}
${validate === null ? '' : renderValidation(validate)}
${step.backup ? BACKUP_SCRIPT : ''}
${SEND_BEFORE_SCRIPT}
mv -f -- "$runward_new" "$runward_path" || runward_fail "The new file could not replace $runward_path."
runward_new=
printf '%s\\n' "$runward_path was written."
exit ${CHANGED_EXIT_CODE}`;
}

/**
 * Tests whether the new file has the owner and group of the old one. Most shells can test this if both belong to the
 * current user; `stat` covers the other cases.
 */
const SAME_OWNER_TEST = `{ {
    [ -O "$runward_path" ] && [ -O "$runward_new" ] && [ -G "$runward_path" ] && [ -G "$runward_new" ]
  } 2>/dev/null || {
    ${renderStatNumbers('$runward_new')} && runward_stat=\${runward_stat#* } && [ "\${runward_stat% *}" = "$2 $3" ]
  }; }`;

interface ContentTexts {
  stored: string;
  printed: string;
  /** Tests whether a file of the same size has the same content. */
  same: string;
  needs: string;
}

/**
 * Compares as text. A command substitution drops NULs and line ends at the end. The added `x` protects those line ends.
 * A file with NULs becomes shorter than the content, so it differs. Some shells need a temporary file for a
 * here-document; if that fails, another process prints the `x`.
 */
const SAME_CONTENT_TEST = `{
    runward_now=$(cat -- "$runward_path" - <<'runward_end'
x
runward_end
) || runward_now=$(cat -- "$runward_path" && echo x)
    [ "$runward_now" = "\${runward_content}x" ]
  } 2>/dev/null`;

/** A shell variable cannot hold NUL, and some shells change bytes that are not text. Such content is sent as base64. */
function toContentTexts(content: string | Buffer): ContentTexts {
  const text =
    typeof content === 'string' ? content : isUtf8(content) && !content.includes(0) ? content.toString() : null;
  if (text !== null)
    return { stored: shellWord(text), printed: `printf '%s' "$runward_content"`, same: SAME_CONTENT_TEST, needs: '' };
  const printed = `printf '%s' "$runward_content" | base64 -d`;
  return {
    stored: shellWord(Buffer.from(content).toString('base64')),
    printed,
    same: `${printed} | cmp -s - "$runward_path"`,
    needs: `${requireProgramScript('base64', 'coreutils')}${requireProgramScript('cmp', 'diffutils')}`,
  };
}

const requireProgramScript = (program: string, packageName: string): string =>
  `command -v ${program} >/dev/null 2>&1 || runward_fail 'This host has no program ${program}. Install it (package ${packageName}).'\n`;

/**
 * Returns shell text that sets owner, group and mode. The mode comes last, because a change of owner may clear mode
 * bits.
 */
function renderAttributes({ owner, group, mode }: FileAttributes): string {
  const settings = [
    group === null ? '' : renderSetting('chgrp', group, 'group'),
    owner === null ? '' : renderSetting('chown', owner, 'owner'),
    mode === null ? '' : renderSetting('chmod', mode, 'mode'),
  ];
  return settings.join('');
}

const renderSetting = (program: string, value: string, what: string) =>
  `; ${program} ${shellWord(value)} "$1" || runward_fail "The ${what} of $runward_path could not be set."`;

/** Prints the old file before it is replaced, for `StepTrailer`. */
const SEND_BEFORE_SCRIPT = `runward_size=0
if [ -n "$runward_before" ]; then runward_size=$4; fi
if [ "$runward_size" -gt ${MAX_BEFORE_BYTES} ]; then printf '\\n%s large\\n' "$runward_mark"
else
  printf '\\n%s before %s\\n' "$runward_mark" "$runward_size"
  if [ "$runward_size" -gt 0 ]; then head -c "$runward_size" <"$runward_path"; fi
fi`;

const BACKUP_SCRIPT = `if [ -n "$runward_before" ]; then
  umask 077
  runward_backup="$runward_path.$(date -u +%Y%m%dT%H%M%SZ).bak"
  cp -p -- "$runward_path" "$runward_backup" || runward_fail "The backup $runward_backup could not be made. The file was not changed."
  printf '%s\\n' "The file before is kept as $runward_backup."
fi`;

function renderValidation(command: string): string {
  const commandWithMark = command.replaceAll('%s', `${INSERTION_MARK}file${INSERTION_MARK}`);
  const invalidInsertion = locateInsertions(commandWithMark).find(({ place }) => place !== 'word');
  if (invalidInsertion) {
    throw new CommandTemplateError(
      'unsafe_place',
      'In validate, write %s as a separate word without quotes: it becomes the quoted path of the new file.',
    );
  }
  const text = command.replaceAll('%s', '"$runward_new"');
  return `(umask "$runward_umask"; unset runward_mark; eval ${shellWord(text)}) </dev/null || runward_fail "The command in validate did not accept the new file (exit code $?). $runward_path was not changed."`;
}
