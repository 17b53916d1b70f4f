import { isJournalId, joinScriptLines } from '../journal/journal-shell.js';
import type { RemainingProcess } from '../remote-command.js';

export const DISPATCH_ID_VARIABLE = 'RUNWARD_DISPATCH_ID';
const MAX_REMAINING_PROCESSES = 5;
const REMAINING_PROCESS_LINE_PATTERN = /^left (\d{1,10}) (\S.{0,39})$/;
const UNSAFE_NAME_CHARACTER_PATTERN = /[^\w.:+@/()-]/g;
const USER_NAME_PATTERN = /^[a-z_][a-z0-9_-]*$/;
const POLLS_PER_SECOND = 5;
const KILL_WAIT_SECONDS = 2;

export interface CommandStart {
  pid: number;
  /** Start time of the leader from the acknowledgement; `-`: unknown. */
  startTime: string;
  dispatchId: string | undefined;
  /** User that the command runs as through sudo; null: the login user. */
  become: string | null;
  /** Whether the leader has exited. Its process ID may then belong to another process. */
  exited: boolean;
}

/**
 * Returns a shell text that lists the remaining processes of a command. Works in any login shell: one line without `!`,
 * backquotes and backslashes, and without single quotes inside its quotes.
 */
export const listRemainingProcessesCommand = (start: CommandStart): string =>
  toShellCommand(start, `${findProcessesScript(start)} _f; _l`);

/**
 * Returns a shell text that ends all processes of a command: SIGTERM, then SIGKILL after `graceMs`. It then lists the
 * remaining processes.
 *
 * A signal to the process group reaches all members at once, even a process that is forking. With `become`, each user
 * signals its own processes, because sudo would forward a signal and a process could get SIGTERM twice.
 */
export function endProcessesCommand(start: CommandStart, graceMs: number): string {
  const { pid, become } = start;
  const pollCount = Math.max(1, Math.ceil((graceMs / 1000) * POLLS_PER_SECOND));
  const single = `kill -s $1 \${_e%%:*}`;
  const group = `[ -z "$_v" ] || kill -s $1 -- -${pid} || [ -e /proc/self/stat ] || kill -s $1 ${pid};`;
  const killGroupScript = `${group} for _e in $_s; do case $_v:$_e in 1:*:${pid}:*) ;; *) ${single};; esac; done`;
  const killOwnScript = `for _e in $_s; do _x=; read -r _x </proc/\${_e%%:*}/comm; [ "$_x" = sudo ] || { [ -O /proc/\${_e%%:*} ] && ${single}; }; done`;
  return toShellCommand(
    start,
    `${findProcessesScript(start)} ${ALIVE_SCRIPT}
    _t() { ${become === null ? killGroupScript : `case $1 in KILL) ${killGroupScript};; *) ${killOwnScript};; esac`}; };
    _z() { sleep 0.${10 / POLLS_PER_SECOND} && _i=$((_i+1)) && return; sleep 1; _i=$((_i+${POLLS_PER_SECOND})); };
    _f; _t TERM; _i=0;
    while :; do
      _k; [ -n "$_s" ] || { _f; [ -n "$_s" ] || break; };
      [ $_i -lt ${pollCount} ] || break; _z;
    done;
    if [ -n "$_s" ]; then
      _f; _t KILL; _i=0;
      while _k; [ -n "$_s" ] && [ $_i -lt ${KILL_WAIT_SECONDS * POLLS_PER_SECOND} ]; do _z; done;
    fi; _l`,
  );
}

/**
 * Shell function _f: adds the processes of a command to `_s`, each as ` pid:group:start`. These are the processes of
 * its session, processes with its dispatch ID in their environment, and all their descendants. `_v` is 1 while the
 * session still belongs to the command. Without /proc, only the leader is listed.
 */
const findProcessesScript = ({ pid, startTime, dispatchId, exited }: CommandStart): string => `
  _f() {
    _a=; _v=1; _x=; read -r _x </proc/${pid}/stat; set -- \${_x##*") "};
    case ${startTime}:\${20} in -:*|*:|${startTime}:${startTime}) ;; *) _v=;; esac;
    if [ -e /proc/self/stat ]; then :; else _s=; kill -s 0 -- -${pid} && _s=" ${pid}:${pid}:-"; return; fi;
    for _p in /proc/[0-9]*; do
      _x=; read -r _x <$_p/stat; set -- \${_x##*") "}; _p=\${_p#/proc/};
      case $1:\${20} in [ZX]:*|*:) continue;; esac;
      _a="$_a $_p:$2:$3:\${20}";
      case "$_s " in *" $_p:"*) continue;; esac;
      case $_v:$4:$_p in 1:${pid}:*${exited ? '' : `|1:*:${pid}`}) _s="$_s $_p:$3:\${20}";; esac;
    done;
    ${dispatchId !== undefined && isJournalId(dispatchId) ? PROCESSES_BY_START_SCRIPT(dispatchId) : ''}
    _y=;
    until [ "$_y" = "$_s" ]; do
      _y=$_s;
      for _e in $_a; do
        _p=\${_e%%:*}; _x=\${_e#*:};
        case "$_s " in *" $_p:"*) ;; *) case "$_s " in *" \${_x%%:*}:"*) _s="$_s $_p:\${_x#*:}";; esac;; esac;
      done;
    done;
  };
  _l() { for _e in $_s; do _x=; read -r _x </proc/\${_e%%:*}/comm || _x=$(ps -o comm= -p \${_e%%:*}); echo "left \${_e%%:*} $_x"; done; };`;

const PROCESSES_BY_START_SCRIPT = (dispatchId: string): string => `
    for _p in $(grep -l ${DISPATCH_ID_VARIABLE}=${dispatchId} /proc/[0-9]*/environ); do
      _p=\${_p#/proc/}; _p=\${_p%/environ};
      case "$_s " in *" $_p:"*) continue;; esac;
      case "$_a " in *" $_p:"*) _x=\${_a#*" $_p:"}; _x=\${_x%%" "*}; _s="$_s $_p:\${_x#*:}";; esac;
    done;`;

/** Shell function _k: keeps only live processes in `_s` whose ID was not reused. */
const ALIVE_SCRIPT = `
  _k() {
    _y=;
    for _e in $_s; do
      if [ -e /proc/self/stat ]; then
        _x=; read -r _x </proc/\${_e%%:*}/stat; set -- \${_x##*") "};
        case $1:\${20} in [ZX]:*) ;; *:\${_e##*:}) _y="$_y $_e";; esac;
      elif kill -s 0 -- -\${_e%%:*}; then _y="$_y $_e";
      fi;
    done; _s=$_y;
  };`;

/**
 * Runs the body as the login user, and in parallel as the `become` user: each may be unable to see the other's
 * processes.
 */
function toShellCommand({ become }: CommandStart, body: string): string {
  const text = joinScriptLines(body);
  if (become === null || !USER_NAME_PATTERN.test(become)) return `exec /bin/sh -c 'exec 2>/dev/null; ${text}'`;
  const runAsUserScript = `printf "%s" "exec 2>/dev/null; $1" | sudo -n -H -u ${become} -- /bin/sh &`;
  const outer = `exec 2>/dev/null; [ "$(id -un)" = ${become} ] || ${runAsUserScript} eval "$1"; wait`;
  return `exec /bin/sh -c '${outer}' runward '${text}'`;
}

export function parseRemainingProcesses(output: string): RemainingProcess[] {
  const found = new Map<number, RemainingProcess>();
  for (const line of output.split('\n')) {
    const [, pid, name] = REMAINING_PROCESS_LINE_PATTERN.exec(line) ?? [];
    if (pid !== undefined && name !== undefined)
      found.set(Number(pid), { pid: Number(pid), name: name.replace(UNSAFE_NAME_CHARACTER_PATTERN, '_') });
  }
  return [...found.values()].slice(0, MAX_REMAINING_PROCESSES);
}
