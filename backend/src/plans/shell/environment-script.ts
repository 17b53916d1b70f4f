import { type VariableValue, toValueText } from '../../variables/variable-value.js';
import { shellWord } from './shell-text.js';

export interface ScriptRequest {
  readonly command: string;
  readonly exports: readonly { readonly name: string; readonly value: VariableValue }[];
  /** Additional variables. They override `exports`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string | null;
  /** Rendered command. If it succeeds, the main command is skipped. */
  readonly unless?: string | null;
  /** Provides a file to which the command can write `name=value` lines, see `StepTrailer`. */
  readonly outputs?: boolean;
  /**
   * The command reports a change by exiting with `CHANGED_EXIT_CODE`. The trailer then contains the change, and the exit
   * status is 0.
   */
  readonly reportsChange?: boolean;
  /** User who runs the whole script; null = the login user. */
  readonly become?: string | null;
  /**
   * Marks the script's own output: an unguessable word of letters, digits, - and _. Required for unless, outputs,
   * reportsChange, become and workingDirectory.
   */
  readonly mark?: string;
}

export const MAX_OUTPUTS_BYTES = 65_536;

export const CHANGED_EXIT_CODE = 90;

/** A larger replaced file is reported without its content. */
export const MAX_BEFORE_BYTES = 49_152;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const USER = /^[a-z_][a-z0-9_-]{0,31}$/;
/** First line of the script for the other user's shell. */
const FIRST_SCRIPT_LINE = 'cd 2>/dev/null || cd /';
const OUTPUT_MARK_PATTERN = /^[A-Za-z0-9_-]{16,}$/;

/**
 * Builds the POSIX shell text that the host's `sh` reads from standard input: exports, then the command. Nothing of it
 * is on a command line. Lists are exported with one item per line, booleans as `true` and `false`.
 *
 * `eval` gets the command as one word, with input from /dev/null. Otherwise a program that reads standard input would
 * consume the following lines, which would never run.
 *
 * - If the working directory cannot be entered, the script ends with exit code 1, a line on standard error and, with a
 *   mark, `<mark> not-run`.
 * - If sudo does not start a shell of the other user, the script ends with sudo's exit code and message and `<mark>
 *   refused`.
 * - If `unless` succeeds, `<mark> skipped` is the only output.
 * - With `outputs`, a trailer follows the command's output when the command has ended; with `reportsChange`, when it
 *   has succeeded.
 *
 * @throws RangeError for an invalid variable name, user or mark, a NUL, or half of a surrogate pair
 */
export function composeScript(request: ScriptRequest): string {
  const { exports, environment = {}, workingDirectory, unless, become } = request;
  const body = [
    ...[...exports, ...Object.entries(environment).map(([name, value]) => ({ name, value }))].map(toExportLine),
    ...(workingDirectory ? [enterDirectory(workingDirectory, request)] : []),
    ...(typeof unless === 'string' ? [toSkipScript(unless, getMark(request))] : []),
    toCommandScript(request),
  ].join('');
  return become ? toSudoCommand(become, body, request) : body;
}

function toCommandScript(request: ScriptRequest): string {
  const { command, outputs, reportsChange } = request;
  if (outputs) return toOutputScript(command, getMark(request));
  if (reportsChange) return toChangeScript(command, getMark(request));
  return `${toEvalCommand(command, 'The command')} </dev/null\n`;
}

function toExportLine({ name, value }: ScriptRequest['exports'][number]): string {
  if (!NAME.test(name)) throw new RangeError(`"${name}" is not the name of a shell variable.`);
  return `export ${name}=${toShellWord(toValueText(value), `The value of ${name}`)}\n`;
}

function enterDirectory(directory: string, request: ScriptRequest): string {
  const reason = `The working directory ${directory} does not exist on this host or may not be entered. The command was not run.`;
  return `cd -- ${toShellWord(directory, 'The working directory')} >/dev/null 2>&1 || { printf '%s\\n' ${shellWord(reason)} >&2; ${toNotRunScript(request)}exit 1; }\n`;
}

/** Runs `unless` as a separate command, not within the `if`, where `set -e` would have no effect. */
const toSkipScript = (unless: string, mark: string) =>
  `(${toEvalCommand(unless, 'The command of unless')}) </dev/null >/dev/null 2>&1\n` +
  `if [ $? -eq 0 ]; then printf '%s\\n' '${mark} skipped'; exit 0; fi\n`;

/**
 * Runs the command in a subshell, so that it cannot skip the trailer. If a signal ends the script, the file for outputs
 * is removed first, and then the script dies from that signal.
 */
const toOutputScript = (
  command: string,
  mark: string,
) => `RUNWARD_OUTPUT=$(umask 077; mktemp) || { printf '%s\\n' 'The file for the outputs could not be created. The command was not run.' >&2; printf '%s\\n' '${mark} not-run'; exit 1; }
export RUNWARD_OUTPUT
trap 'rm -f "$RUNWARD_OUTPUT"' EXIT
for runward_signal in HUP INT TERM; do trap 'rm -f "$RUNWARD_OUTPUT"; trap - EXIT '"$runward_signal"'; kill -'"$runward_signal"' $$' "$runward_signal"; done
(${toEvalCommand(command, 'The command')} </dev/null)
runward_status=$?
runward_size=0
if [ -f "$RUNWARD_OUTPUT" ]; then runward_size=$(($(wc -c <"$RUNWARD_OUTPUT"))); fi
if [ "$runward_size" -gt ${MAX_OUTPUTS_BYTES} ]; then runward_size=${MAX_OUTPUTS_BYTES}; fi
printf '\\n%s %s\\n' '${mark} outputs' "$runward_size"
if [ "$runward_size" -gt 0 ]; then head -c "$runward_size" "$RUNWARD_OUTPUT"; fi
exit "$runward_status"
`;

/**
 * Runs the command in a subshell, like `toOutputScript`. The subshell knows the mark and may output `before`. A failed
 * command reports no change.
 */
const toChangeScript = (command: string, mark: string) => `runward_mark='${mark}'
(${toEvalCommand(command, 'The command')} </dev/null)
runward_status=$?
case "$runward_status" in
0) printf '\\n%s\\n' '${mark} unchanged' ;;
${CHANGED_EXIT_CODE}) printf '\\n%s\\n' '${mark} changed'; runward_status=0 ;;
esac
exit "$runward_status"
`;

/**
 * Passes the script to a shell of the other user over its standard input. `printf` is a builtin, so no process list
 * shows the script. The other shell begins in the home directory, like the shell of the login user.
 *
 * A first line that is still unread afterwards proves that no shell was started. The exit code cannot prove it: a
 * command may end with the same code as sudo.
 *
 * A signal does not end this shell before the other user's shell: otherwise the command would continue after its
 * apparent end.
 */
function toSudoCommand(user: string, body: string, request: ScriptRequest): string {
  if (!USER.test(user)) throw new RangeError(`"${user}" is not the name of a user.`);
  return `runward_script=${shellWord(body)}
if [ "$(id -un)" = '${user}' ]; then
  eval "$runward_script"
else
  trap : HUP INT TERM
  printf '%s\\n%s' '${FIRST_SCRIPT_LINE}' "$runward_script" 2>/dev/null | {
    trap : HUP INT TERM
    sudo -n -H -u '${user}' -- /bin/sh
    runward_status=$?
${toRefusalReport(request)}    exit "$runward_status"
  }
fi
`;
}

const toNotRunScript = (request: ScriptRequest): string =>
  request.mark === undefined ? '' : `printf '%s\\n' '${getMark(request)} not-run'; `;

const toRefusalReport = (request: ScriptRequest): string =>
  request.mark === undefined
    ? ''
    : `    runward_line=; IFS= read -r runward_line
    if [ "$runward_line" = '${FIRST_SCRIPT_LINE}' ]; then printf '%s\\n' '${getMark(request)} refused'; fi
`;

function getMark({ mark = '' }: ScriptRequest): string {
  if (!OUTPUT_MARK_PATTERN.test(mark)) throw new RangeError('The mark has at least 16 letters, digits, - or _.');
  return mark;
}

const toEvalCommand = (command: string, subject: string) => `eval ${toShellWord(command, subject)}`;

function toShellWord(text: string, subject: string): string {
  if (/[\0\p{Surrogate}]/u.test(text))
    throw new RangeError(`${subject} contains NUL or an incomplete character, which shells cannot process.`);
  return shellWord(text);
}
