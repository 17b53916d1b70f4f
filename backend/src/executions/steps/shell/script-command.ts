import { shellWord } from '../../../plans/shell/shell-text.js';

/**
 * Returns POSIX shell text that writes a script to a private file, runs it and always removes the file. The exit status
 * is the script's. The text contains the script, so no command line shows it.
 *
 * The text runs in a subshell, so that traps and umask end with it.
 */
export function renderScriptCommand(
  script: { program: readonly string[]; content: string },
  args: readonly string[],
): string {
  const program = script.program.map(shellWord).join(' ');
  const words = ['"$runward_script"', ...args.map(shellWord)];
  return `(
runward_umask=$(umask)
umask 077
runward_script=$(mktemp) || { printf '%s\\n' 'The file for the script could not be made. The script was not run.' >&2; exit 1; }
trap 'rm -f "$runward_script"' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
{ printf '%s' ${shellWord(script.content)} >"$runward_script" && chmod 700 "$runward_script"; } || { printf '%s\\n' 'The script could not be written to a file. It was not run.' >&2; exit 1; }
umask "$runward_umask"
${program} ${words.join(' ')}
runward_status=$?
exit "$runward_status"
)`;
}
